import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeCursor } from '../../../../src/engine/db/cursor.ts';
import { PLANNINGS } from '../../../support/plans.ts';
import { ask } from '../../graphql/ask.ts';
import { app } from './filled.ts';

const PAGE = 20;

/** As in a shop with a long history: open rows are at one end of the table, finished ones at the other. */
export function testFarEnd(): void {
  beforeAll(async () => {
    await app.database.transaction(async (query) => {
      await query('update orders set complete = id <= (select 0.8 * max(id) from orders)', []);
      await query(
        "update pets set status = case when id > 10000 then 'available' when id > 5000 then 'pending' else 'sold' end::pet_status",
        [],
      );
      await query('update pets set category_id = case when id > 500 then 2 else 1 end', []);
    });
    // Otherwise the dead rows of the updates would be read too.
    await app.database.statement('test.vacuum', 'write', sql`vacuum full analyze`, {})();
  });

  describe('rows at the far end of their list', () => {
    test.each([
      ['orders(complete: false, sort: id, first', 1],
      ['orders(complete: true, sort: id_desc, first', 1],
      ['orders(complete: true, sort: id, last', 1],
      ['pets(status: [sold], sort: id_desc, first', 1],
      ['pets(status: [available], sort: id, first', 1],
      ['pets(status: [sold, pending, sold], sort: id_desc, first', 2],
      ['pets(categoryId: [1, 9999], sort: id_desc, first', 2],
    ])('are read without a scan: %s', async (list, values) => {
      const plans = await app.plansOf(() => ask(app, `{ ${list}: ${PAGE}) { nodes { id } } }`));
      expect(plans).toHaveLength(PLANNINGS.length);
      expect(plans.filter(({ rowsRead }) => rowsRead > values * (PAGE + 1)).map(({ words }) => words)).toEqual([]);
    });

    test.each([
      ['category(categoryId: 1) { pets(first: 20', 'pets.id', 400],
      ['category(categoryId: 1) { pets(last: 20', 'pets.id', undefined],
      ['category(categoryId: 7) { pets(first: 20', 'pets.id', undefined],
      ['category(categoryId: 7) { pets(last: 20', 'pets.id', undefined],
      ['category(categoryId: 7) { pets(first: 20', 'pets.id', 2],
    ])('are read without a scan within a parent that has many rows or none: %s after %s %s', async (list, name, id) => {
      const after = id === undefined ? '' : `, after: "${encodeCursor(name, { id, value: null })}"`;
      const plans = await app.plansOf(() => ask(app, `{ ${list}${after}) { nodes { id } } } }`));
      expect(plans.length).toBeGreaterThan(PLANNINGS.length);
      expect(plans.filter(({ rowsRead }) => rowsRead > PAGE + 1).map(({ words }) => words)).toEqual([]);
    });

    test.each([
      ['orders(complete: true, sort: id, first: 20, after', 'orders.id', 4_000],
      ['orders(complete: true, sort: id_desc, first: 20, after', 'orders.id_desc', 400],
      ['orders(complete: true, sort: id, last: 20, before', 'orders.id', 400],
      ['pets(status: [available], sort: id, first: 20, after', 'pets.id', 19_000],
      ['pets(name: "M", sort: name, first: 20, after', 'pets.name', 19_000, 'Moose'],
      ['pets(name: "M", sort: name_desc, first: 20, after', 'pets.name_desc', 1_000, 'Mabel'],
      ['pets(name: "Z", sort: name, first: 20, after', 'pets.name', 1_000, 'Ada'],
      ['pets(name: "A", sort: name_desc, first: 20, after', 'pets.name_desc', 1_000, 'Zoe'],
      [
        'orders(shipDateFrom: "2999-01-01T00:00:00Z", sort: shipDate, first: 20, after',
        'orders.shipDate',
        1,
        '2000-01-01T00:00:00.000Z',
      ],
    ])('a page is found without a scan however far it is: %s %s %d', async (list, name, id, value = undefined) => {
      const cursor = encodeCursor(name, { id, value: value ?? null });
      const plans = await app.plansOf(() => ask(app, `{ ${list}: "${cursor}") { nodes { id } } }`));
      expect(plans).toHaveLength(PLANNINGS.length);
      // At most a row for each, and the path to the first through its index.
      expect(
        plans.filter(({ pagesRead }) => pagesRead > PAGE + 12).map(({ words, pagesRead }) => [pagesRead, words]),
      ).toEqual([]);
    });

    test.each([
      ['pets(name: "nobody", first'],
      ['pets(name: "nobody", sort: id_desc, last'],
      ['pets(name: "zoe", categoryId: [1], sort: id_desc, first'],
      ['pets(status: [sold], sort: name, first'],
      ['orders(shipDateFrom: "2999-01-01T00:00:00Z", first'],
      ['orders(shipDateFrom: "2999-01-01T00:00:00Z", complete: true, sort: shipDate_desc, first'],
    ])('with no index in the right order, matching rows, or their absence, are found soon: %s', async (list) => {
      const plans = await app.plansOf(() => ask(app, `{ ${list}: ${PAGE}) { nodes { id } } }`));
      expect(plans).toHaveLength(PLANNINGS.length);
      // The rows that are read in the order of the list, and those that an index on a filter finds.
      expect(plans.filter(({ rowsRead }) => rowsRead > 8_000).map(({ words }) => words)).toEqual([]);
    });

    test.each([
      ['name: "z"', 'id', "lower(name) like 'z%'", 'id'],
      ['name: "z"', 'id_desc', "lower(name) like 'z%'", 'id desc'],
      ['name: "z"', 'name', "lower(name) like 'z%'", 'lower(name) collate "C", id'],
      ['name: "z"', 'name_desc', "lower(name) like 'z%'", 'lower(name) collate "C" desc, id desc'],
      ['name: "m", status: [sold]', 'id', "lower(name) like 'm%' and status = 'sold'", 'id'],
      ['categoryId: [1], status: [sold]', 'name', "category_id = 1 and status = 'sold'", 'lower(name) collate "C", id'],
      ['status: [pending]', 'name_desc', "status = 'pending'", 'lower(name) collate "C" desc, id desc'],
    ])('paging with %s in the order %s returns each row once, both ways', async (filters, sort, where, order) => {
      const rows = await app.database.transaction((query) =>
        query(`select id from pets where ${where} order by ${order}`, []),
      );
      const expected = rows.map(([id]) => Number(id));
      const walk = async (size: 'first' | 'last', from: 'after' | 'before', next: 'endCursor' | 'startCursor') => {
        const found: number[] = [];
        for (let cursor: string | null = ''; cursor !== null && found.length < expected.length + 1; ) {
          const place: string = cursor === '' ? '' : `, ${from}: "${cursor}"`;
          const query = `{ pets(${filters}, sort: ${sort}, ${size}: 100${place}) { nodes { id } pageInfo { ${next} } } }`;
          const { pets } = await ask(app, query);
          const ids = pets.nodes.map(({ id }: { id: number }) => id);
          if (size === 'first') found.push(...ids);
          else found.unshift(...ids);
          cursor = pets.pageInfo[next];
        }
        return found;
      };
      expect(expected.length).toBeGreaterThan(10);
      expect(await walk('first', 'after', 'endCursor')).toEqual(expected);
      expect(await walk('last', 'before', 'startCursor')).toEqual(expected);
    });

    test('a place before those that a filter names is followed by the first of them, and one after them by none', async () => {
      const idsAfter = async (value: string) => {
        const after = encodeCursor('pets.name', { id: 20_000, value });
        const { pets } = await ask(
          app,
          `{ pets(name: "m", sort: name, first: 5, after: "${after}") { nodes { id } } }`,
        );
        return pets.nodes;
      };
      const { pets } = await ask(app, '{ pets(name: "m", sort: name, first: 5) { nodes { id } } }');
      expect(pets.nodes).toHaveLength(5);
      expect(await idsAfter('Ada')).toEqual(pets.nodes);
      expect(await idsAfter('Zoe')).toEqual([]);
    });

    test('a repeated value is read once, and all values in one order', async () => {
      const { pets } = await ask(
        app,
        '{ pets(status: [sold, pending, sold], sort: id_desc, first: 100) { nodes { id } } }',
      );
      const ids = pets.nodes.map(({ id }: { id: number }) => id);
      expect(ids).toEqual(Array.from({ length: 100 }, (_, n) => 10_000 - n));
    });
  });
}
