import { expect, onTestFinished, test } from 'vitest';
import { addressOf, administer, rowsOf } from '../support/admin.ts';
import { copyTestDatabase } from '../support/database.ts';
import { withServiceHere } from '../support/serve-here.ts';
import { settingsFor } from '../support/service.ts';

test('where MIGRATE is off, a read-only database is served, and what the start stores is stored later', async () => {
  const { location, dispose } = await copyTestDatabase();
  onTestFinished(dispose);
  const url = location.url as string;
  const name = new URL(url).pathname.slice(1);
  const other = addressOf(url, 'postgres');
  await administer(other, `alter database ${name} set default_transaction_read_only = on`);
  await withServiceHere({ ...settingsFor(location), MIGRATE: 'off' }, async ({ base, output }) => {
    const counted = () => rowsOf(url, 'select 1 from lifecycle_counting limit 1');
    expect((await fetch(`${base}/pets`)).status).toBe(200);
    expect(output()).toContain('lifecycle uses could not be stored yet');
    expect(output()).not.toContain('another version');
    expect(await counted()).toEqual([]);
    await administer(other, `alter database ${name} set default_transaction_read_only = off`);
    await administer(other, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await expect.poll(counted, { timeout: 15_000, interval: 500 }).toHaveLength(1);
  });
});

test('where transactions are serializable by default, changes of a row at the same time all succeed', async () => {
  const { location, dispose } = await copyTestDatabase();
  const { url = '' } = location;
  await administer(
    url,
    `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_isolation = serializable`,
  );
  const send = async (base: string, path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  // A single one sends the orders of a pet one after another.
  await withServiceHere(settingsFor(location), async ({ base }) =>
    withServiceHere(settingsFor(location), async ({ base: other }) => {
      const { body: category } = await send(base, '/categories', { name: 'Any' });
      const { body: pet } = await send(base, '/pets', { name: 'Rex', categoryId: category.id });
      for (let round = 0; round < 5; round++) {
        const order = (to: string) => send(to, '/store/orders', { petId: pet.id, quantity: 1 });
        const statuses = (await Promise.all([base, other].map(order))).map(({ status }) => status);
        expect(statuses).toEqual([201, 201]);
      }
    }),
  );
  await dispose();
});

test.each([
  ['search_path', 'shop'],
  ['idle_session_timeout', "'1ms'"],
])('where the database sets %s to %s, the service works all the same', async (setting, value) => {
  const { location, dispose } = await copyTestDatabase();
  onTestFinished(dispose);
  const url = location.url as string;
  await administer(url, `alter database ${new URL(url).pathname.slice(1)} set ${setting} = ${value}`);
  await withServiceHere(settingsFor(location), async ({ base }) => {
    const headers = { 'content-type': 'application/json' };
    const created = await fetch(`${base}/categories`, { method: 'POST', headers, body: '{"name":"Any"}' });
    expect(created.status).toBe(201);
    expect(await (await fetch(`${base}/events?wait=5`)).json()).toMatchObject([{ type: 'category.created' }]);
  });
});
