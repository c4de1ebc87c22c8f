import { type GraphQLInputType, getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../../src/engine/json.ts';
import { seed } from '../../../src/petstore/seed.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { ask, askInVain, type Values } from './ask.ts';

const { schema } = petStoreService;

type Way = 'literals' | 'variables';

const SEEDED_PETS = 60;
const GREATEST = 9_223_372_036_854_775_807n;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, SEEDED_PETS, () => {});
});
afterAll(() => app?.dispose());

describe('every operation', () => {
  const called = new Set<string>();

  describe.each<Way>(['literals', 'variables'])('with its arguments as %s', (way) => {
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
    const call = (field: string, args: Values, selection: string): Promise<any> => {
      called.add(field);
      return callField(way, field, args, selection);
    };
    const idOf = (row: { id: number }) => row.id;

    test('a category is created, read, listed, changed, replaced and deleted', async () => {
      const fields = '{ id name description }';
      const made = await call('createCategory', { category: { name: 'Owls', description: 'By night.' } }, fields);
      expect(made).toEqual({ id: expect.any(Number), name: 'Owls', description: 'By night.' });
      const categoryId = idOf(made);
      expect(await call('category', { categoryId }, fields)).toEqual(made);
      expect(await call('categories', { id: [categoryId], name: 'OW' }, `{ nodes ${fields} }`)).toEqual({
        nodes: [made],
      });
      const changed = await call('updateCategory', { categoryId, changes: { description: 'At night.' } }, fields);
      expect(changed).toEqual({ ...(made as object), description: 'At night.' });
      const replaced = await call('replaceCategory', { categoryId, category: { name: 'Night owls' } }, fields);
      expect(replaced).toEqual({ id: categoryId, name: 'Night owls', description: null });
      expect(await call('deleteCategory', { categoryId }, fields)).toEqual(replaced);
      expect(await call('category', { categoryId }, fields)).toBeNull();
    });

    test('a pet is created, read, listed, changed, replaced and deleted', async () => {
      const fields = '{ id name categoryId status }';
      const made = await call('createPet', { pet: { name: `Zora ${way}`, categoryId: 1 } }, fields);
      expect(made).toEqual({ id: expect.any(Number), name: `Zora ${way}`, categoryId: 1, status: 'available' });
      const petId = idOf(made);
      expect(await call('pet', { petId }, fields)).toEqual(made);
      const filters = { id: [petId, 1], status: ['available', 'sold'], categoryId: [1, 2], name: `zora ${way}` };
      expect(await call('pets', { ...filters, sort: 'name_desc', first: 5 }, `{ nodes ${fields} }`)).toEqual({
        nodes: [made],
      });
      const changed = { ...made, status: 'sold' };
      expect(await call('updatePet', { petId, changes: { status: 'sold' } }, fields)).toEqual(changed);
      const replacement = { name: 'Zoë', categoryId: 2 };
      const replaced = { id: petId, ...replacement, status: 'available' };
      expect(await call('replacePet', { petId, pet: replacement }, fields)).toEqual(replaced);
      expect(await call('deletePet', { petId }, fields)).toEqual(replaced);
      expect(await call('pet', { petId }, fields)).toBeNull();
    });

    test('stock is counted, ordered, returned and no longer counted', async () => {
      const petId = idOf(await call('createPet', { pet: { name: 'Stocky', categoryId: 1 } }, '{ id }'));
      const entry = '{ petId quantity status began }';
      const begun = await call('replaceStock', { petId, update: { quantity: 3 } }, entry);
      expect(begun).toEqual({ petId, quantity: 3, status: 'available', began: true });
      expect((await call('replaceStock', { petId, update: { quantity: 2 } }, entry)).began).toBe(false);

      const fields = '{ id petId quantity shipDate complete pet { inventory { quantity status } } }';
      const placed = await call('placeOrder', { order: { petId, shipDate: '2026-11-21T10:30:00+01:00' } }, fields);
      const inventory = { quantity: 1, status: 'available' };
      const shipDate = '2026-11-21T09:30:00.000Z';
      const order = { id: expect.any(Number), petId, quantity: 1, shipDate, complete: false, pet: { inventory } };
      expect(placed).toEqual(order);
      const orderId = idOf(placed);
      expect(await call('order', { orderId }, fields)).toEqual(placed);
      const listed = await call('orders', { id: [orderId], petId: [petId], complete: false }, `{ nodes ${fields} }`);
      expect(listed).toEqual({ nodes: [placed] });

      const changes = { quantity: 2, shipDate: null };
      const changed = await call('updateOrder', { orderId, changes }, fields);
      const none = { quantity: 0, status: 'pending' };
      expect(changed).toEqual({ ...order, quantity: 2, shipDate: null, pet: { inventory: none } });
      expect(await call('inventoryItem', { petId }, entry)).toEqual({ petId, ...none, began: false });
      const entries = await call('inventory', { petId: [petId], status: ['pending'] }, '{ nodes { petId } }');
      expect(entries).toEqual({ nodes: [{ petId }] });

      expect(await call('cancelOrder', { orderId }, '{ id }')).toEqual({ id: orderId });
      expect(await call('stopTracking', { petId }, '{ quantity pet { inventory { quantity } } }')).toEqual({
        quantity: 2,
        pet: { inventory: null },
      });
      expect(await call('inventoryItem', { petId }, entry)).toBeNull();
    });

    test('events are listed', async () => {
      const args = { first: 2, after: 'now', types: ['pet_created', 'pet_deleted'], subject: 'pets/1', wait: 0 };
      const { nodes, pageInfo } = await call(
        'events',
        args,
        '{ nodes { id type } pageInfo { hasNextPage endCursor } }',
      );
      expect([nodes, pageInfo]).toEqual([[], { hasNextPage: false, endCursor: expect.stringMatching(/^1\.\d+$/) }]);
    });

    test('webhooks are created, changed, sent events again and deleted', async () => {
      const webhook = { url: 'https://shop.example/', types: ['pet_created'], description: 'New pets.' };
      const fields = '{ id url types description enabled disabledBecause createdAt version }';
      const { id: webhookId, secret } = await call('createWebhook', { webhook }, '{ id secret }');
      expect(secret).toMatch(/^whsec_/);
      const read = await call('webhook', { webhookId }, fields);
      expect(read).toMatchObject({ ...webhook, enabled: true, disabledBecause: null, version: 1 });
      const listed = await call('webhooks', { id: [webhookId], sort: 'id', first: 1 }, `{ nodes ${fields} }`);
      expect(listed).toEqual({ nodes: [read] });
      const changed = await call('updateWebhook', { webhookId, changes: { types: null } }, '{ types version }');
      expect(changed).toEqual({ types: [], version: 2 });
      const rotated = await call('rotateWebhookSecret', { webhookId }, '{ secret version }');
      expect(rotated).toEqual({ secret: expect.not.stringContaining(secret), version: 3 });
      expect(await call('redeliverEvents', { webhookId, after: 'now' }, '{ id }')).toEqual({ id: webhookId });
      const args = { webhookId, status: ['pending', 'failed'], sort: 'id_desc', first: 1 };
      const attempts = 'attempts lastAttemptAt nextAttemptAt responseStatus error';
      const selection = `{ totalCount nodes { id webhookId event type subject status ${attempts} } }`;
      expect(await call('deliveries', args, selection)).toEqual({ totalCount: 0, nodes: [] });
      expect(await call('deleteWebhook', { webhookId }, '{ id }')).toEqual({ id: webhookId });
    });

    test('annotated elements are listed', async () => {
      const [first] = await call('lifecycle', {}, '{ coordinate operation level sunset usesByDay { day uses } }');
      expect(first).toMatchObject({ coordinate: 'Query.pet', operation: 'GET /pets/{petId}', level: 'deprecated' });
    });
  });

  test('every operation is tested here', () => {
    const all = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect([...called].sort()).toEqual(all.sort());
  });

  test('identifiers are exact to the last digit, as literals and in variables', async () => {
    const variables = { id: GREATEST };
    const { data } = await app.graphql(
      `query ($id: Int64!) { __typename literal: pets(id: [${GREATEST}, 1]) { nodes { id } }
        variable: pets(id: [$id, 1]) { nodes { id } } }`,
      variables,
    );
    expect(data).toMatchObject({ literal: { nodes: [{ id: 1 }] }, variable: { nodes: [{ id: 1 }] } });
    const error = await askInVain(app, 'mutation ($id: Int64!) { deletePet(petId: $id) { id } }', variables);
    expect(error.message).toBe(`No pet has the id ${GREATEST}.`);
  });
});

async function callField(way: Way, name: string, args: Values, selection: string): Promise<unknown> {
  const isQuery = schema.getQueryType()?.getFields()[name] !== undefined;
  const field = (isQuery ? schema.getQueryType() : schema.getMutationType())?.getFields()[name];
  const given = (field?.args ?? []).filter((arg) => args[arg.name] !== undefined);
  const definitions = given.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const values = given.map(
    (arg) => `${arg.name}: ${way === 'variables' ? `$${arg.name}` : literal(arg.type, args[arg.name])}`,
  );
  const list = (parts: string) => (parts === '' ? '' : `(${parts})`);
  const head = `${isQuery ? 'query' : 'mutation'} ${way === 'variables' ? list(definitions) : ''}`;
  const document = `${head} { ${name}${list(values.join(', '))} ${selection} }`;
  return (await ask(app, document, way === 'variables' ? args : undefined))[name];
}

function literal(type: GraphQLInputType, value: unknown): string {
  if (value === null) return 'null';
  if (isNonNullType(type)) return literal(type.ofType, value);
  if (isListType(type)) return `[${(value as unknown[]).map((item) => literal(type.ofType, item)).join(', ')}]`;
  const named = getNamedType(type);
  if (isEnumType(named)) return String(value);
  if (!isInputObjectType(named) || value === null) return stringifyJson(value);
  const fields = Object.entries(value as Values).map(([name, part]) => {
    const field = named.getFields()[name];
    if (field === undefined) throw new Error(`${named.name} has no field ${name}.`);
    return `${name}: ${literal(field.type, part)}`;
  });
  return `{ ${fields.join(', ')} }`;
}
