import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { ask } from '../graphql/ask.ts';

const SIZES = [1, 20, 100];
/** The maximum of nested lists that one statement reads. */
const LISTS_AT_ONCE = 50;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, 400, () => {});
  await app.database.transaction((query) =>
    query("insert into categories (name) select 'Category ' || n from generate_series(1, 100) as n", []),
  );
});
afterAll(() => app?.dispose());
beforeEach(() => void app.statements.splice(0));

describe('a request needs as many statements for many rows as for one', () => {
  test.each([
    ['/pets', 'pets.list'],
    ['/pets?status=available&name=b&sort=-name', 'pets.list'],
    ['/categories', 'categories.list'],
    ['/store/orders', 'orders.list'],
    ['/store/orders?complete=false&sort=shipDate', 'orders.list'],
    ['/store/inventory', 'inventory.list'],
  ])('GET %s: one', async (path, statement) => {
    for (const size of SIZES) {
      const { status } = await app.rest('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${size}`);
      expect(status).toBe(200);
      expect(app.statements.splice(0)).toEqual([statement]);
    }
  });

  test.each([
    [
      'pets(first: $first) { nodes { category { name } inventory { quantity } orders(first: 3) { nodes { id } } } }',
      ['pets.list', 'categories.byKeys', 'inventory.byKeys'],
      'orders.listBy.pet_id',
    ],
    [
      'pets(first: $first) { edges { cursor node { orders(last: 1) { totalCount nodes { quantity } } } } }',
      ['pets.list', 'orders.countBy.pet_id'],
      'orders.listBy.pet_id',
    ],
    [
      'orders(first: $first) { nodes { pet { category { name } inventory { quantity } } } }',
      ['orders.list', 'pets.byKeys', 'categories.byKeys', 'inventory.byKeys'],
    ],
    [
      'inventory(first: $first) { nodes { pet { category { name } orders(first: 2) { nodes { id } } } } }',
      ['inventory.list', 'pets.byKeys', 'categories.byKeys'],
      'orders.listBy.pet_id',
    ],
    [
      'categories(first: $first) { nodes { pets(first: 5) { nodes { inventory { quantity } } totalCount } } }',
      ['categories.list', 'pets.countBy.category_id', 'inventory.byKeys'],
      'pets.listBy.category_id',
    ],
  ] as const)('{ %s }', async (selection, ofAnySize, ofListsWithin?: string) => {
    for (const size of SIZES) {
      await ask(app, `query ($first: Int) { ${selection} }`, { first: size });
      const lists = ofListsWithin === undefined ? [] : Array(Math.ceil(size / LISTS_AT_ONCE)).fill(ofListsWithin);
      expect(app.statements.splice(0).sort()).toEqual([...ofAnySize, ...lists].sort());
    }
  });
});

test('a list is counted once, however often its totalCount is selected', async () => {
  await ask(app, '{ pets(first: 1) { totalCount } }');
  const once = app.statements.splice(0);
  await ask(app, '{ pets(first: 1) { totalCount a: totalCount b: totalCount } }');
  expect(app.statements.splice(0)).toEqual(once);
});

describe('each request for a row takes one statement', () => {
  /** The body of the response; checks that the request took only that one statement. */
  async function one(statement: string, method: string, path: string, status: number, body?: unknown) {
    const answer = await app.rest(method, path, { body });
    expect([answer.status, ...app.statements.splice(0)]).toEqual([status, statement]);
    return answer.body;
  }

  test('that reads it', async () => {
    await one('pets.byKeys', 'GET', '/pets/1', 200);
    await one('categories.byKeys', 'GET', '/categories/1', 200);
    await one('orders.byKeys', 'GET', '/store/orders/1', 200);
    await one('inventory.byKeys', 'GET', '/store/inventory/1', 200);
    await one('pets.byKeys', 'GET', '/pets/999999', 404);
  });

  test('that writes it, with all related changes', async () => {
    const { id: categoryId } = await one('categories.insert', 'POST', '/categories', 201, { name: 'Any' });
    await one('categories.update', 'PUT', `/categories/${categoryId}`, 200, { name: 'Some' });
    await one('categories.update', 'PATCH', `/categories/${categoryId}`, 200, { name: 'All' });
    const { id: petId } = await one('pets.insert', 'POST', '/pets', 201, { name: 'Rex', categoryId });
    await one('pets.update', 'PUT', `/pets/${petId}`, 200, { name: 'Leo', categoryId });
    await one('pets.update', 'PATCH', `/pets/${petId}`, 200, { name: 'Max' });
    await one('inventory.replace', 'PUT', `/store/inventory/${petId}`, 201, { quantity: 3 });
    await one('inventory.replace', 'PUT', `/store/inventory/${petId}`, 200, { quantity: 4 });
    const { id: orderId } = await one('orders.place', 'POST', '/store/orders', 201, { petId, quantity: 2 });
    await one('orders.update', 'PATCH', `/store/orders/${orderId}`, 200, { quantity: 3 });
    await one('orders.cancel', 'DELETE', `/store/orders/${orderId}`, 204);
    await one('orders.draft', 'POST', '/store/orders', 201, {});
    await one('inventory.stop', 'DELETE', `/store/inventory/${petId}`, 204);
    await one('pets.delete', 'DELETE', `/pets/${petId}`, 204);
    await one('categories.delete', 'DELETE', `/categories/${categoryId}`, 204);
  });

  test('that a mutation writes, and one more for related rows in its selection', async () => {
    const pet = { name: 'Rex', categoryId: 1 };
    await ask(app, 'mutation ($pet: NewPet!) { createPet(pet: $pet) { id category { name } } }', { pet });
    expect(app.statements).toEqual(['pets.insert', 'categories.byKeys']);
  });
});

describe('concurrent totals', () => {
  test('of the same list and filters take one statement, in an operation and across requests', async () => {
    const query = `{ ${['a', 'b', 'c'].map((alias) => `${alias}: pets(first: 1, status: [sold]) { totalCount }`).join(' ')} }`;
    const answers = await Promise.all([ask(app, query), ask(app, query)]);
    const [{ totalCount }] = [answers[0].a];
    expect(answers.flatMap(({ a, b, c }) => [a, b, c])).toEqual(Array(6).fill({ totalCount }));
    expect(app.statements.filter((name) => name === 'pets.count')).toHaveLength(1);
  });

  test('with different filters are counted separately', async () => {
    const { all, sold, other } = await ask(
      app,
      '{ all: pets(first: 1) { totalCount } sold: pets(first: 1, status: [sold]) { totalCount } other: pets(first: 1, status: [available, pending]) { totalCount } }',
    );
    expect(sold.totalCount + other.totalCount).toBe(all.totalCount);
    expect(sold.totalCount).toBeGreaterThan(0);
  });

  test('of inventory entries join the pets only if a filter needs them', async () => {
    const { all, any } = await ask(
      app,
      '{ all: inventory(first: 1) { totalCount } any: inventory(first: 1, status: [available, pending, sold]) { totalCount } }',
    );
    expect(all).toEqual(any);
    expect(all.totalCount).toBeGreaterThan(0);
  });
});
