import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { ask, range, type Values } from './ask.ts';

const SEEDED_PETS = 60;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, SEEDED_PETS, () => {});
});
afterAll(() => app?.dispose());
beforeEach(() => void app.statements.splice(0));

describe('a connection', () => {
  const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String) {
    pets(first: $first, after: $after, last: $last, before: $before, sort: name, id: [${range(1, SEEDED_PETS)}]) {
      nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;
  const page = async (window: Values) => (await ask(app, PAGE, window)).pets;

  test('is paged forwards with first and after, with each row once', async () => {
    const seen: number[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { nodes, pageInfo } = await page({ first: 7, after });
      expect(pageInfo.hasPreviousPage).toBe(after !== null);
      seen.push(...nodes.map(idOf));
      ({ endCursor: after, hasNextPage: more } = pageInfo);
    }
    expect(seen.length).toBe(SEEDED_PETS);
    expect(new Set(seen).size).toBe(SEEDED_PETS);
  });

  test('is paged backwards with last and before, in the same order', async () => {
    const forwards = (await page({ first: 100 })).nodes.map(idOf);
    const seen: number[] = [];
    for (let before: string | null = null, more = true; more; ) {
      const { nodes, pageInfo } = await page({ last: 7, before });
      expect(pageInfo.hasNextPage).toBe(before !== null);
      seen.unshift(...nodes.map(idOf));
      ({ startCursor: before, hasPreviousPage: more } = pageInfo);
    }
    expect(seen).toEqual(forwards);
  });

  test('has the same rows in nodes and edges, and the cursors of its first and last row', async () => {
    const { nodes, edges, pageInfo } = await page({ first: 3 });
    expect(edges.map(({ node }: { node: unknown }) => node)).toEqual(nodes);
    expect(pageInfo).toMatchObject({ startCursor: edges[0].cursor, endCursor: edges[2].cursor });
    const between = await page({ first: 5, after: edges[0].cursor, before: edges[2].cursor });
    expect(between.nodes).toEqual([nodes[1]]);
  });

  test('has no cursors when it is empty', async () => {
    const { pets } = await ask(app, '{ pets(id: []) { nodes { id } pageInfo { startCursor endCursor hasNextPage } } }');
    expect(pets).toEqual({ nodes: [], pageInfo: { startCursor: null, endCursor: null, hasNextPage: false } });
  });

  test('has 20 rows by default', async () => {
    expect((await page({})).nodes).toHaveLength(20);
  });

  test('counts all its rows, and only when totalCount is selected', async () => {
    await ask(app, '{ pets(first: 2, status: [pending]) { nodes { id } } }');
    expect(app.statements).toEqual(['pets.list']);
    const { pets } = await ask(
      app,
      `{ pets(first: 2, status: [pending], id: [${range(1, SEEDED_PETS)}]) { totalCount } }`,
    );
    expect(pets.totalCount).toBe(6);
    expect(app.statements.slice(1).sort()).toEqual(['pets.count', 'pets.list']);
  });

  test('within a row has its own pages', async () => {
    const { category } = await ask(app, '{ category(categoryId: 1) { pets(first: 100) { totalCount nodes { id } } } }');
    expect(category.pets.totalCount).toBe(category.pets.nodes.length);
    const PART =
      'query ($after: String) { category(categoryId: 1) { pets(first: 2, after: $after) { nodes { id } pageInfo { endCursor } } } }';
    const first = (await ask(app, PART)).category.pets;
    const second = (await ask(app, PART, { after: first.pageInfo.endCursor })).category.pets;
    expect([...first.nodes, ...second.nodes]).toEqual(category.pets.nodes.slice(0, 4));
  });
});

describe('nested fields are batched', () => {
  test('the pets of all categories take two statements, and their counts a third', async () => {
    const { categories } = await ask(app, '{ categories { nodes { pets(first: 2) { nodes { id } totalCount } } } }');
    expect(categories.nodes.length).toBeGreaterThan(10);
    expect([...app.statements].sort()).toEqual([
      'categories.list',
      'pets.countBy.category_id',
      'pets.listBy.category_id',
    ]);
  });

  test('the pets of all orders take two statements, and so do those of all entries', async () => {
    await ask(app, '{ orders(first: 10) { nodes { pet { name } } } }');
    expect(app.statements.splice(0)).toEqual(['orders.list', 'pets.byKeys']);
    await ask(app, '{ inventory(first: 40) { nodes { pet { name } } } }');
    expect(app.statements).toEqual(['inventory.list', 'pets.byKeys']);
  });

  test('what a directive leaves out is not read', async () => {
    const query = 'query ($on: Boolean!) { orders(first: 10) { nodes { id pet @include(if: $on) { name } } } }';
    await ask(app, query, { on: false });
    expect(app.statements).toEqual(['orders.list']);
  });

  test('the same rows in several fields of a document take one statement', async () => {
    await ask(
      app,
      '{ a: category(categoryId: 1) { id } b: category(categoryId: 2) { id } c: category(categoryId: 1) { name } }',
    );
    expect(app.statements).toEqual(['categories.byKeys']);
  });
});

function idOf({ id }: { id: number }): number {
  return id;
}
