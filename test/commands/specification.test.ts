import { Validator } from '@seriousme/openapi-schema-validator';
import { isEnumType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { petStoreService } from '../../src/petstore/service.ts';
import { assertFits } from '../support/contract.ts';
import { document, operations, type Schema, schemas, source } from './committed.ts';

const { schema } = petStoreService;

describe('the interface description', () => {
  test('MUST be in OpenAPI format, version 3.0.3', async () => {
    expect(document.openapi).toBe('3.0.3');
    expect(await new Validator().validate(JSON.parse(source))).toEqual({ valid: true });
  });

  test('MUST carry version 1.0.0', () => expect(document.info.version).toBe('1.0.0'));
});

describe('the shapes of the specification', () => {
  const id = 'integer int64';
  const pet = { name: 'string', categoryId: id, status: 'PetStatus' };
  const category = { name: 'string', description: 'string' };

  test.each<[name: string, required: readonly string[], fields: Readonly<Record<string, string>>]>([
    ['NewPet', ['name', 'categoryId'], pet],
    ['Pet', ['name', 'categoryId', 'id'], { ...pet, id }],
    ['NewCategory', ['name'], category],
    ['Category', ['name', 'id'], { ...category, id }],
    ['Order', [], { id, petId: id, quantity: 'integer', shipDate: 'string date-time', complete: 'boolean' }],
    ['InventoryItem', ['petId', 'quantity', 'status'], { petId: id, quantity: 'integer', status: 'PetStatus' }],
    ['InventoryUpdate', ['quantity'], { quantity: 'integer' }],
    ['Error', ['code', 'message', 'status'], { code: 'string', message: 'string', status: 'integer' }],
  ])('%s MUST have exactly its fields, and require %j', (name, required, fields) => {
    const { type, properties = {}, required: requiredHere = [] } = schemas[name] ?? {};
    expect(type).toBe('object');
    expect(Object.fromEntries(Object.entries(properties).map(([field, schema]) => [field, typeOf(schema)]))).toEqual(
      fields,
    );
    expect([...requiredHere].sort()).toEqual([...required].sort());
  });

  test('Pets MUST be an array whose items are Pet objects', () => {
    expect(schemas.Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
  });

  test('PetStatus MUST allow available, pending and sold, and nothing else', () => {
    expect(schemas.PetStatus).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] });
  });

  test('GraphQL has the same values of PetStatus', () => {
    const status = schema.getType('PetStatus');
    expect(isEnumType(status) && status.getValues().map(({ name }) => name)).toEqual(schemas.PetStatus?.enum);
  });
});

describe('the operations of the specification', () => {
  const get = (path: string) => document.paths[path]?.get;

  test('GET /pets/{petId} MUST be deprecated, with a sunset date', () => {
    expect(get('/pets/{petId}')).toMatchObject({ deprecated: true, 'x-deprecated-sunset': '2027-12-31' });
  });

  test('it is the only one: "one operation is deprecated"', () => {
    expect(operations.filter(([, { deprecated }]) => deprecated).map(([name]) => name)).toEqual(['GET /pets/{petId}']);
  });

  test('GET /store/orders MUST have its interactive trial switched off', () => {
    expect(get('/store/orders')).toMatchObject({ 'x-hideTryItPanel': true });
  });

  test('some operations MUST be marked experimental or beta', () => {
    const levels = operations.map(([, operation]) => operation['x-stability']);
    expect(levels).toContain('beta');
    expect(levels).toContain('experimental');
  });

  test('the tags Store and Pets MUST be groups that carry no endpoints of their own', () => {
    const used = new Set(operations.flatMap(([, { tags }]) => tags));
    const groups = document['x-tagGroups'];
    expect(groups.map(({ name }) => name)).toEqual(['Pets', 'Store', 'Service']);
    expect(groups.filter(({ name, tags }) => used.has(name) || tags[0] !== name)).toEqual([]);
    expect(groups[0]?.tags).toEqual(expect.arrayContaining(['Animals', 'Categories']));
    expect(groups[1]?.tags).toEqual(expect.arrayContaining(['Orders', 'Inventory']));
    expect(new Set(groups.flatMap(({ tags }) => tags.slice(1)))).toEqual(used);
  });

  test.each(operations)('%s says what it does and how it may end', (_, operation) => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.summary).toMatch(/\w$/);
    expect(operation.description).toMatch(/\.$/);
    const statuses = Object.keys(operation.responses);
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
    expect(statuses).toEqual(expect.arrayContaining(['400', '406', '500', '503', '504']));
  });

  test.each(operations)('%s has an example of each parameter that it requires', (_, { parameters }) => {
    for (const { name, required, schema = {}, example } of parameters) {
      if (required !== true) continue;
      expect(example, name).toBeDefined();
      assertFits(schema, example, `The example of ${name}`);
    }
  });

  test.each(operations)('%s has in its path what the example of its response has', (_, { parameters, responses }) => {
    const schema = (responses[200] ?? responses[201])?.content?.['application/json'].schema;
    const component = schemas[schema?.$ref?.replace('#/components/schemas/', '') ?? ''];
    const [row] = [component?.example].flat() as Readonly<Record<string, unknown>>[];
    if (row === undefined) return;
    for (const { name = '', example } of parameters.filter((one) => one.in === 'path'))
      expect(example, name).toBe(row[name] ?? row.id);
  });

  test.each(operations)(
    '%s has an example of each of its errors, with the HTTP status of the response',
    (_, operation) => {
      for (const [status, { $ref = '' }] of Object.entries(operation.responses)) {
        const response = document.components.responses[$ref.replace('#/components/responses/', '')];
        if (response?.content === undefined) continue;
        const { examples } = response.content['application/json'];
        const codes = [...response.description.matchAll(/`([A-Z_]+)`: /g)].map(([, code]) => code);
        expect(Object.keys(examples)).toEqual(codes);
        for (const [code, { value }] of Object.entries(examples)) {
          assertFits({ $ref: '#/components/schemas/Error' }, value, `The example of ${code}`);
          expect(value).toMatchObject({ code, status: Number(status) });
        }
      }
    },
  );
});

/** What a field holds, in a word or two: the name of a component, or a type and its format (int32 is what integers are). */
function typeOf({ allOf, $ref, type, format }: Schema): string {
  const [part] = allOf ?? [];
  if (part !== undefined) return typeOf(part);
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  return format === undefined || format === 'int32' ? String(type) : `${type} ${format}`;
}
