import { afterAll, beforeAll, expect, test } from 'vitest';
import { recentUses } from '../../src/contract/uses.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let opened: TestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase();
  await opened.database.transaction(async (query) => {
    const insert =
      'insert into lifecycle_uses (coordinate, client, day, uses, last_seen) values ($1, $2, $3::date, $4, $3::timestamptz)';
    for (const row of [
      ['Query.pet', 'shop-app', '2026-11-20', 1200],
      ['Query.pet', 'shop-app', '2026-11-19', 4],
      ['Query.pet', 'curl', '2026-10-23', 3],
      ['Query.pet', 'curl', '2026-10-22', 9],
      ['Query.pets(sort:)', 'shop-app', '2026-11-21', 1],
      ['Query.order', 'other', '2026-11-21', 1],
    ] as const) {
      await query(insert, [...row]);
    }
  });
});
afterAll(() => opened.dispose());

test('the uses of the last 30 days, today included, are read by coordinate and client', async () => {
  const coordinates = ['Query.pet', 'GET /pets/{petId}', 'Query.pets(sort:)'];
  expect(await recentUses(opened.database, coordinates, '2026-11-21')).toEqual([
    { coordinate: 'Query.pet', client: 'shop-app', uses: 1204, lastDay: '2026-11-20' },
    { coordinate: 'Query.pet', client: 'curl', uses: 3, lastDay: '2026-10-23' },
    { coordinate: 'Query.pets(sort:)', client: 'shop-app', uses: 1, lastDay: '2026-11-21' },
  ]);
});
