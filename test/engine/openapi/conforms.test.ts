import { describe, expect, test } from 'vitest';
import { petStoreService } from '../../../src/petstore/service.ts';
import { assertConforms } from '../../fuzz/conforms.ts';

const { schema } = petStoreService;

const query =
  'query ($no: Boolean!) { pet(petId: 1) { id name status category @skip(if: $no) { id } ...More } } fragment More on Pet { n: name }';
const asked = { query, variables: { no: true }, operationName: undefined };
const rex = { id: 1, name: 'Rex', status: 'sold', n: 'Rex' };
const error = { message: 'Out.', path: ['pet'], extensions: { code: 'CONFLICT', status: 409 } };
const orders = { query: '{ orders { nodes { shipDate } } }', variables: {}, operationName: undefined };
const shipped = (shipDate: unknown) => ({ data: { orders: { nodes: [{ shipDate }] } } });

describe('what holds the answers of the fuzzer to the schema', () => {
  test.each([
    ['a row', asked, { data: { pet: rex } }],
    ['null where it may be', asked, { data: { pet: null }, errors: [error] }],
    ['a list', orders, shipped('2026-12-01T09:30:00.000Z')],
    ['a refusal', asked, { errors: [{ ...error, path: undefined }] }],
  ])('takes %s', (_, request, answer) => {
    expect(() => assertConforms(schema, request, JSON.parse(JSON.stringify(answer)))).not.toThrow();
  });

  test.each([
    [
      'a key too few',
      asked,
      { data: { pet: { ...rex, n: undefined } } },
      'has the keys id,name,status; id,name,status,n',
    ],
    ['what was to be skipped', asked, { data: { pet: { ...rex, category: null } } }, 'has the keys'],
    ['another order', asked, { data: { pet: { name: 'Rex', id: 1, status: 'sold', n: 'Rex' } } }, 'has the keys'],
    [
      'null where it must not be',
      asked,
      { data: { pet: { ...rex, name: null } } },
      'data.pet.name is null, and is a String!.',
    ],
    ['a text for an integer', asked, { data: { pet: { ...rex, id: '1' } } }, 'data.pet.id is no Int64.'],
    [
      'a value that the enum has not',
      asked,
      { data: { pet: { ...rex, status: 'lost' } } },
      'data.pet.status is no PetStatus.',
    ],
    ['a list for an object', asked, { data: { pet: [rex] } }, 'data.pet is not an object of Pet.'],
    ['an object for a list', orders, { data: { orders: { nodes: {} } } }, 'data.orders.nodes is no list.'],
    ['a date without its time', orders, shipped('2026-12-01'), 'data.orders.nodes.0.shipDate is no DateTime.'],
    ['nothing at all', asked, {}, 'neither data nor errors'],
    ['null that no error explains', asked, { data: null }, 'no error says why'],
    ['an error whose path leads to a value', asked, { data: { pet: rex }, errors: [error] }, 'there is a value'],
    ['a refusal with a path', asked, { errors: [error] }, 'A refusal has a path'],
    [
      'a status that is not the code’s',
      asked,
      { errors: [{ message: 'x', extensions: { code: 'CONFLICT', status: 400 } }] },
      'of the table',
    ],
  ])('does not take %s', (_, request, answer, message) => {
    expect(() => assertConforms(schema, request, JSON.parse(JSON.stringify(answer)))).toThrow(message);
  });
});
