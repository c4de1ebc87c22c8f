import { afterAll, beforeAll, expect, test } from 'vitest';
import { isEmpty, seed } from '../../src/petstore/seed.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { watched } from '../support/watched.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.dispose());

test('example data whose first load was interrupted is loaded by the next start', async () => {
  const interrupted = watched(opened.database, async ({ text }, run) => {
    if (text.includes('insert into pets')) throw new Error('The process ends.');
    return run();
  });
  await expect(seed(interrupted, 10, () => {})).rejects.toThrow('The process ends.');
  expect(await isEmpty(opened.database)).toBe(true);
  await seed(opened.database, 10, () => {});
  expect(await isEmpty(opened.database)).toBe(false);
});
