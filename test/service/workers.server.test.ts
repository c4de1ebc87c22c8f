import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { administer } from '../support/admin.ts';
import { startLoad } from '../support/load.ts';
import { startProxy } from '../support/proxy.ts';
import { type Service, startService, withService } from '../support/service.ts';
import { environment, makeDatabase } from './processes.ts';
import { answering, askAnew, fetchAnew, isAlive, MANY, metricsOf, several, WAIT, work } from './workers.ts';

makeDatabase();

// With the pause the processors are free to start processes; there is still a request at almost every moment.
const clients = { keeping: 6, renewing: 3, pause: 5 };

describe('several processes on one port', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(several());
  });
  afterAll(() => service?.stop('SIGKILL'));

  /** The number of responses with categories, from two metrics that must agree. */
  async function listed(): Promise<number> {
    const text = await metricsOf(service);
    const labels = String.raw`\{protocol="rest",operation="listCategories"(?:,status="200")?\} (\d+)$`;
    const [counted, timed] = ['http_requests_total', 'http_request_duration_seconds_count'].map((name) =>
      Number(new RegExp(`^${name}${labels}`, 'm').exec(text)?.[1] ?? 0),
    ) as [number, number];
    expect(timed).toBe(counted);
    return counted;
  }
  const list = (times: number) => askAnew(service, times, '/categories');

  test('all answer requests, except the parent process', async () => {
    const pids = await answering(service);
    expect(pids).toHaveLength(MANY);
    expect(pids).not.toContain(service.pid);
    expect(service.output().match(/"msg":"started"/g)).toHaveLength(1);
  });

  test('/metrics adds up all processes, whichever answers', async () => {
    for (const expected of [60, 120]) {
      await list(60);
      const counts = await Promise.all(Array.from({ length: 4 * MANY }, listed));
      expect(counts).toEqual(Array(4 * MANY).fill(expected));
    }
  });

  test('/metrics names few clients, however many processes there are', async () => {
    for (let n = 0; n < 300; n += 50) {
      const names = Array.from({ length: 50 }, (_, at) => `client-${n + at}`);
      await Promise.all(names.map((name) => fetchAnew(`${service.base}/pets/1`, { 'api-client': name })));
    }
    const used = [...(await metricsOf(service)).matchAll(/^lifecycle_uses_total\{.*client="(.*)"\} (\d+)$/gm)];
    expect(used).toHaveLength(101);
    expect(used.map(([, client]) => client)).toContain('(others)');
    expect(used.reduce((sum, [, , uses]) => sum + Number(uses), 0)).toBe(300);
  });

  test('SIGHUP loses no request whose body arrives slowly, and counts it', async () => {
    await withService({ ...several(), REQUEST_TIMEOUT: '1' }, async (own) => {
      const { base, process } = own;
      const pids = await answering(own);
      const body = JSON.stringify({ name: 'Slow' });
      const headers = { 'content-type': 'application/json', 'content-length': `${body.length}` };
      const slow = httpRequest(`${base}/categories`, { method: 'POST', headers });
      const answered = once(slow, 'response');
      slow.write(body.slice(0, 5));
      await fetchAnew(`${base}/livez`);
      process.kill('SIGHUP');
      // Longer than it takes to replace both processes and to finish requests that have arrived.
      await sleep(7_000);
      slow.end(body.slice(5));
      expect((await answered)[0].statusCode).toBe(201);
      await expect.poll(() => pids.filter(isAlive), WAIT).toEqual([]);
      expect(await metricsOf(own)).toMatch(/^http_requests_total\{.*operation="createCategory",status="201"\} 1$/m);
    });
  });

  test('SIGTERM ends within 10 s all processes, even those that are being replaced', async () => {
    await withService(several(), async (own) => {
      const headers = { 'content-type': 'application/json', 'content-length': '100' };
      const stalled = httpRequest(`${own.base}/categories`, { method: 'POST', headers });
      stalled.once('error', () => {});
      stalled.write('{');
      await fetchAnew(`${own.base}/livez`);
      own.process.kill('SIGHUP');
      await sleep(4_000);
      const began = performance.now();
      expect(await own.stop('SIGTERM')).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
    });
  });

  test('SIGHUP replaces each process once for each signal, and loses no request', async () => {
    const before = await answering(service);
    const load = startLoad(service.base, work, clients);
    service.process.kill('SIGHUP');
    await sleep(300);
    service.process.kill('SIGHUP');
    await expect.poll(() => service.output().match(/"msg":"workers replaced"/g), WAIT).toHaveLength(2);
    const { answered, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(100);
    const after = await answering(service);
    expect(after).toHaveLength(MANY);
    for (const pid of before) expect(after).not.toContain(pid);
    expect(service.output()).not.toMatch(/"level":[56]0/);
  });

  test('SIGHUP keeps the processes while a migration of newer code is missing, and says what to run', async () => {
    const before = await answering(service);
    // As often as it is made, it hides the newest migration, or shows it again.
    const turn = `update drizzle.__drizzle_migrations set hash = reverse(hash), created_at = -created_at
        where id = (select max(id) from drizzle.__drizzle_migrations)`;
    await administer(environment.DATABASE_URL as string, turn);
    service.process.kill('SIGHUP');
    const reason = '1 migration is not applied, and a running service applies none: run npm run db:migrate first.';
    await expect.poll(() => service.output().includes(reason), WAIT).toBe(true);
    expect((await answering(service)).sort()).toEqual(before.sort());
    await administer(environment.DATABASE_URL as string, turn);
  });

  test('a killed process is replaced, and only the requests that it was answering are lost', async () => {
    const [victim, ...others] = (await answering(service)) as [number, ...number[]];
    const load = startLoad(service.base, work, clients);
    await expect.poll(load.answered, WAIT).toBeGreaterThan(100);
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => answering(service), WAIT).toHaveLength(MANY);
    const asked = load.answered();
    await expect.poll(load.answered, WAIT).toBeGreaterThan(asked + 100);
    // At most one failure for each client: then it connects to another process.
    const { failures } = await load.stop();
    expect(failures.length).toBeLessThanOrEqual(clients.keeping + clients.renewing);
    const after = await answering(service);
    expect(after).not.toContain(victim);
    expect(after).toEqual(expect.arrayContaining(others));
    expect(service.output()).toContain(`"worker":${victim},"exitCode":null,"signal":"SIGKILL"`);
  });

  test('a killed process is replaced when the database is back; until then the log says so once', async () => {
    const proxy = await startProxy(environment.DATABASE_URL ?? '');
    onTestFinished(() => proxy.close());
    await withService({ ...several(), DATABASE_URL: proxy.url }, async (own) => {
      const [victim] = (await answering(own)) as [number, ...number[]];
      proxy.stop();
      process.kill(victim, 'SIGKILL');
      // Enough for two attempts, and more if they did not become rarer.
      await sleep(8_000);
      expect(own.output().match(/"msg":"a new worker could not be started; trying again"/g)).toHaveLength(1);
      await proxy.start();
      await expect.poll(() => answering(own), WAIT).toHaveLength(MANY);
    });
  });

  test('a process that dies during a replacement leaves their number unchanged', async () => {
    const before = await answering(service);
    const replaced = () => service.output().match(/"msg":"workers replaced"/g)?.length;
    const times = replaced() ?? 0;
    service.process.kill('SIGHUP');
    process.kill(before.at(-1) as number, 'SIGKILL');
    await expect.poll(replaced, WAIT).toBe(times + 1);
    // Long enough to start one process too many.
    await sleep(2_000);
    expect(await answering(service)).toHaveLength(MANY);
  });

  test('their counts are kept when they have ended', async () => {
    expect(await listed()).toBe(120);
  });

  // The last one: nothing is left to answer.
  test('SIGKILL to the parent process ends all others', async () => {
    const pids = await answering(service);
    await service.stop('SIGKILL');
    await expect.poll(() => pids.filter(isAlive), WAIT).toEqual([]);
  });
});
