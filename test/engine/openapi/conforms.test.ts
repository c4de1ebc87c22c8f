import { describe, expect, test } from 'vitest';
import { petStoreService } from '../../../src/petstore/service.ts';
import { assertConforms } from '../../fuzz/conforms.ts';

const { schema } = petStoreService;

const query =
  'query ($no: Boolean!) { pet(petId: 1) { id name status category @skip(if: $no) { id } ...More } } fragment More on Pet { n: name }';
const request = { query, variables: { no: true }, operationName: undefined };
const rex = { id: 1, name: 'Rex', status: 'sold', n: 'Rex' };
const error = { message: 'Out.', path: ['pet'], extensions: { code: 'CONFLICT', status: 409 } };
const orders = { query: '{ orders { nodes { shipDate } } }', variables: {}, operationName: undefined };
const shipped = (shipDate: unknown) => ({ data: { orders: { nodes: [{ shipDate }] } } });

describe("the fuzzer's check of responses against the schema", () => {
  test.each([
    ['a row', request, { data: { pet: rex } }],
    ['null for a nullable field', request, { data: { pet: null }, errors: [error] }],
    ['a list', orders, shipped('2026-12-01T09:30:00.000Z')],
    ['a rejection', request, { errors: [{ ...error, path: undefined }] }],
  ])('accepts %s', (_, request, answer) => {
    expect(() => assertConforms(schema, request, JSON.parse(JSON.stringify(answer)))).not.toThrow();
  });

  test.each([
    [
      'a missing key',
      request,
      { data: { pet: { ...rex, n: undefined } } },
      'has the keys id,name,status; id,name,status,n',
    ],
    ['a field that must be skipped', request, { data: { pet: { ...rex, category: null } } }, 'has the keys'],
    [
      'keys in another order',
      request,
      { data: { pet: { name: 'Rex', id: 1, status: 'sold', n: 'Rex' } } },
      'has the keys',
    ],
    [
      'null for a non-null field',
      request,
      { data: { pet: { ...rex, name: null } } },
      'data.pet.name is null, and is a String!.',
    ],
    ['a string for an integer', request, { data: { pet: { ...rex, id: '1' } } }, 'data.pet.id is no Int64.'],
    [
      'an unknown enum value',
      request,
      { data: { pet: { ...rex, status: 'lost' } } },
      'data.pet.status is no PetStatus.',
    ],
    ['a list for an object', request, { data: { pet: [rex] } }, 'data.pet is not an object of Pet.'],
    ['an object for a list', orders, { data: { orders: { nodes: {} } } }, 'data.orders.nodes is no list.'],
    ['a date without its time', orders, shipped('2026-12-01'), 'data.orders.nodes.0.shipDate is no DateTime.'],
    ['nothing at all', request, {}, 'neither data nor errors'],
    ['null without an error', request, { data: null }, 'there is no error'],
    ['an error whose path leads to a value', request, { data: { pet: rex }, errors: [error] }, 'there is a value'],
    ['a rejection with a path', request, { errors: [error] }, 'A rejection has a path'],
    [
      'a status that does not belong to the code',
      request,
      { errors: [{ message: 'x', extensions: { code: 'CONFLICT', status: 400 } }] },
      'in the error table',
    ],
  ])('rejects %s', (_, request, answer, message) => {
    expect(() => assertConforms(schema, request, JSON.parse(JSON.stringify(answer)))).toThrow(message);
  });
});
