import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CONNECTIONS } from '../../src/engine/db/pool-kinds.ts';
import { connectServer } from '../../src/engine/db/server.ts';
import { openTestDatabase } from '../support/database.ts';
import { serveHere } from '../support/serve-here.ts';

describe('a server database that fails', () => {
  test('by a held lock: a statement whose request has ended is cancelled, and changes nothing later', async () => {
    const opened = await openTestDatabase();
    const service = await serveHere({ DATABASE_URL: opened.location.url ?? '', REQUEST_TIMEOUT: '3' });
    const send = (method: string, path: string, body: object) =>
      fetch(service.base + path, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { id: categoryId } = (await (await send('POST', '/categories', { name: 'Any' })).json()) as { id: number };
    const { id } = (await (await send('POST', '/pets', { name: 'As it was', categoryId })).json()) as { id: number };
    await opened.database.transaction(async (query) => {
      await query('select from pets where id = $1 for update', [id]);
      // More than there are connections, so that some start late.
      const late = Array.from(
        { length: 25 },
        async (_, n) => (await send('PATCH', `/pets/${id}`, { name: `Late ${n}` })).status,
      );
      for (const status of await Promise.all(late)) expect([503, 504]).toContain(status);
      const atWork = () =>
        opened.database.transaction((looking) =>
          looking(
            `select query from pg_stat_activity where datname = current_database() and state = 'active' and query like 'update "pets"%'`,
            [],
          ),
        );
      // Without cancellation, those that started late would run for almost 3 s more.
      await expect.poll(atWork, { timeout: 1_500 }).toEqual([]);
    });
    await sleep(200);
    expect(await (await fetch(`${service.base}/pets/${id}`)).json()).toMatchObject({ name: 'As it was' });
    await service.stop({ isReplaced: false });
    await opened.dispose();
  });

  test('by locked rows: requests that need them are 503 within seconds, and no other request waits for them', async () => {
    const opened = await openTestDatabase();
    const service = await serveHere({ DATABASE_URL: opened.location.url ?? '' });
    const send = async (method: string, path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const began = performance.now();
      const response = await fetch(service.base + path, { method, headers, body: JSON.stringify(body) });
      const { id, code } = (await response.json()) as { id?: number; code?: string };
      const retryAfter = response.headers.get('retry-after');
      return { id, code, status: response.status, retryAfter, took: performance.now() - began };
    };
    const { id: categoryId } = await send('POST', '/categories', { name: 'Any' });
    const ids = await Promise.all(
      Array.from({ length: 31 }, async () => (await send('POST', '/pets', { name: 'Rex', categoryId })).id),
    );
    const free = ids.pop();
    for (const petId of ids) await send('PUT', `/store/inventory/${petId}`, { quantity: 5 });
    await opened.database.transaction(async (query) => {
      await query('select from pets where id <> $1 for update', [`${free}`]);
      await query('select from inventory for update', []);
      // Several for each row, and more than there are connections.
      const late = ids.flatMap((petId) => [
        send('PATCH', `/pets/${petId}`, { name: 'Late' }),
        send('POST', '/store/orders', { petId }),
      ]);
      await sleep(300);
      for (let n = 0; n < 5; n++) {
        for (const answer of await Promise.all([
          send('PATCH', `/pets/${free}`, { name: `Max ${n}` }),
          send('POST', '/pets', { name: 'Leo', categoryId }),
          send('POST', '/store/orders', { petId: free }),
        ])) {
          // A request for a locked row is 503 after a second; on a busy machine the others queue for a while too.
          expect([answer.status < 300, answer.took < 2_500]).toEqual([true, true]);
        }
        expect((await fetch(`${service.base}/pets/${free}`)).status).toBe(200);
      }
      for (const { status, code, retryAfter, took } of await Promise.all(late)) {
        expect([status, code, retryAfter]).toEqual([503, 'UNAVAILABLE', '1']);
        expect(took).toBeLessThan(5_000);
      }
    });
    expect((await send('PATCH', `/pets/${ids[0]}`, { name: 'Then' })).status).toBe(200);
    await service.stop({ isReplaced: false });
    await opened.dispose();
  });

  test('by a locked table: reads do not wait for the changes of their caller, which all do', async () => {
    const opened = await openTestDatabase();
    const service = await serveHere({ DATABASE_URL: opened.location.url ?? '' });
    const send = async (method: string, body?: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${service.base}/categories`, { method, headers, body: JSON.stringify(body) });
      return [method, response.status];
    };
    await opened.database.transaction(async (query) => {
      await query('lock table categories in share mode', []);
      // More than one caller may have in progress.
      const late = Array.from({ length: 50 }, () => send('POST', { name: 'Late' }));
      await sleep(300);
      expect(await Promise.race([send('GET'), ...late])).toEqual(['GET', 200]);
      for (const answer of await Promise.all(late)) expect(answer).toEqual(['POST', 503]);
    });
    await service.stop({ isReplaced: false });
    await opened.dispose();
  });

  test('by a table that an operator has locked: what does not read it is answered', async () => {
    const opened = await openTestDatabase();
    const service = await serveHere({ DATABASE_URL: opened.location.url ?? '' });
    const statusOf = async (path: string) => (await fetch(service.base + path)).status;
    let late: readonly Promise<number>[] = [];
    await opened.database.transaction(async (query) => {
      await query('lock table pets in access exclusive mode', []);
      // More than there are connections for reads by id, and for lists.
      late = Array.from({ length: 5 }, (_, n) => [
        statusOf(`/pets/${n + 1}`),
        statusOf(`/store/inventory/${n + 1}`),
        statusOf(`/pets?name=${n}`),
      ]).flat();
      await sleep(300);
      const others = ['/readyz', '/categories', '/store/orders', '/store/orders/1', '/events'];
      for (const path of others) {
        expect([path, await Promise.race([statusOf(path), ...late])]).toEqual([path, path.endsWith('/1') ? 404 : 200]);
      }
    });
    expect(await Promise.all(late)).toEqual(Array.from({ length: 5 }, () => [404, 404, 200]).flat());
    await service.stop({ isReplaced: false });
    await opened.dispose();
  });

  test('by a slow commit: a change with a key is answered when it ends', async () => {
    const opened = await openTestDatabase();
    await opened.database.transaction(async (query) => {
      await query(
        `create function be_slow() returns trigger language plpgsql as 'begin perform pg_sleep(3); return null; end'`,
        [],
      );
      await query(
        `create constraint trigger be_slow after insert on categories deferrable initially deferred
          for each row execute function be_slow()`,
        [],
      );
    });
    const service = await serveHere({ DATABASE_URL: opened.location.url ?? '' });
    const response = await fetch(`${service.base}/categories`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ name: 'Slow' }),
    });
    expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ name: 'Slow' })]);
    await service.stop({ isReplaced: false });
    await opened.dispose();
  });

  test('by a locked row: the connections stay open', async () => {
    const opened = await openTestDatabase();
    const driver = await connectServer(opened.location.url ?? '', 10_000, {
      ...CONNECTIONS,
      write: 1,
      waitingWrite: 1,
    });
    const pidOf = async () => (await driver.query('select pg_backend_pid()', [], 'write'))[0]?.[0];
    await driver.query("insert into categories (name) values ('Any')", [], 'write');
    const pid = await pidOf();
    await opened.database.transaction(async (query) => {
      await query('select from categories for update', []);
      for (let n = 0; n < 2; n++) {
        const late = driver.query("update categories set name = 'Late'", [], 'write');
        await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '1' } });
      }
    });
    expect(await pidOf()).toBe(pid);
    await driver.query("update categories set name = 'Then'", [], 'write');
    await driver.close();
    await opened.dispose();
  });
});
