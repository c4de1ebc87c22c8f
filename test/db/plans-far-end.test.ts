import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../graphql/ask.ts';
import { type ExplainedApp, PLANNINGS, startExplainedApp } from '../support/plans.ts';

const PAGE = 20;

let app: ExplainedApp;
beforeAll(async () => {
  app = await startExplainedApp();
  await app.database.transaction(async (query) => {
    await query('update orders set complete = id <= (select 0.8 * max(id) from orders)', []);
    await query(
      "update pets set status = case when id > 10000 then 'available' when id > 5000 then 'pending' else 'sold' end::pet_status",
      [],
    );
    await query('update pets set category_id = case when id > 500 then 2 else 1 end', []);
    await query('analyze', []);
  });
});
afterAll(() => app?.dispose());

/** As in a shop that has been open for long: what is open lies at one end, what is done with at the other. */
describe('rows that all lie at the far end of their list', () => {
  test.each([
    ['orders(complete: false, sort: id, first', 1],
    ['orders(complete: true, sort: id_desc, first', 1],
    ['orders(complete: true, sort: id, last', 1],
    ['pets(status: [sold], sort: id_desc, first', 1],
    ['pets(status: [available], sort: id, first', 1],
    ['pets(status: [sold, pending, sold], sort: id_desc, first', 2],
    ['pets(categoryId: [1, 9999], sort: id_desc, first', 2],
  ])('are read at once: %s', async (list, values) => {
    const plans = await app.plansOf(() => ask(app, `{ ${list}: ${PAGE}) { nodes { id } } }`));
    expect(plans).toHaveLength(PLANNINGS.length);
    expect(plans.filter(({ rowsRead }) => rowsRead > values * (PAGE + 1)).map(({ words }) => words)).toEqual([]);
  });

  test('a value that is given twice is read once, and all values in one order', async () => {
    const { pets } = await ask(
      app,
      '{ pets(status: [sold, pending, sold], sort: id_desc, first: 100) { nodes { id } } }',
    );
    const ids = pets.nodes.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(Array.from({ length: 100 }, (_, n) => 10_000 - n));
  });
});
