import { once } from 'node:events';
import { Agent } from 'node:http';
import { describe, expect, test } from 'vitest';
import { rowsOf } from '../support/admin.ts';
import { startLoad } from '../support/load.ts';
import { type Service, withService } from '../support/service.ts';
import { environment, makeDatabase } from './processes.ts';
import { answering, askReadiness, beginCategory, fetchAnew, isAlive, MANY, several, WAIT, work } from './workers.ts';

makeDatabase();

const withWorkers = (run: (service: Service) => Promise<void>) => withService(several(), run);

describe('SIGTERM', () => {
  test('loses no request and no use of an annotated element, and exits with 0', async () => {
    await withWorkers(async (service) => {
      const before = await usesOf('Query.pet');
      const load = startLoad(service.base, work.slice(0, 4), { keeping: 8, renewing: 0, endsWhenClosed: true });
      await expect.poll(load.answered, WAIT).toBeGreaterThan(100);
      expect(await service.stop()).toBe(0);
      const { answered, failures } = await load.stop();
      expect(failures).toEqual([]);
      const uses = (await usesOf('Query.pet')) - before;
      expect(Math.abs(uses - answered / 4)).toBeLessThan(1);
    });
  });

  test.each([
    ['to the parent process', 0],
    ['to every process, as some supervisors do,', MANY],
  ])('%s finishes the requests in progress, accepts no more, and exits with 0', async (_, receivers) => {
    await withWorkers(async (service) => {
      const pids = await answering(service);
      // As Ctrl+C on a terminal, which does not end them: that is up to the parent process.
      for (const pid of pids) process.kill(pid, 'SIGINT');
      // Connections are distributed in turn: each process gets one.
      const slow = await Promise.all(Array.from({ length: MANY }, () => beginCategory(service.base)));
      const kept = new Agent({ keepAlive: true, maxSockets: 1 });
      expect(await askReadiness(service.base, kept)).toEqual([200, 'keep-alive']);
      const stopping = () => service.output().match(/"msg":"stopping/g)?.length ?? 0;
      for (const pid of pids.slice(0, receivers)) process.kill(pid, 'SIGTERM');
      await expect.poll(stopping).toBe(receivers);
      service.process.kill('SIGTERM');
      const began = performance.now();
      await expect.poll(stopping).toBe(MANY + 1);
      expect(await askReadiness(service.base, kept)).toEqual([503, 'close']);
      await expect(fetchAnew(`${service.base}/livez`)).rejects.toThrow();
      expect(await Promise.all(slow.map((finish) => finish()))).toEqual(Array(MANY).fill(201));
      if (service.process.exitCode === null) await once(service.process, 'exit');
      expect(service.process.exitCode).toBe(0);
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(pids.filter(isAlive)).toEqual([]);
    });
  });

  test('also ends processes that are being replaced', async () => {
    await withWorkers(async (service) => {
      const pids = await answering(service);
      service.process.kill('SIGHUP');
      await expect.poll(() => pids.filter(isAlive).length, WAIT).toBe(MANY - 1);
      expect(await service.stop()).toBe(0);
      expect(service.output()).not.toMatch(/"level":[56]0/);
    });
  });

  test('also ends a process that is to replace another', async () => {
    await withWorkers(async (service) => {
      const [victim] = (await answering(service)) as [number];
      process.kill(victim, 'SIGKILL');
      await expect.poll(service.output).toContain('starting another');
      expect(await service.stop()).toBe(0);
    });
  });
});

/** The stored number of uses. */
async function usesOf(coordinate: string): Promise<number> {
  const statement = `select coalesce(sum(uses), 0)::int as uses from lifecycle_uses where coordinate = '${coordinate}'`;
  const [stored] = await rowsOf<{ uses: number }>(environment.DATABASE_URL as string, statement);
  return stored?.uses as number;
}
