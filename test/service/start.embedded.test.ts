import { describe, expect, onTestFinished, test } from 'vitest';
import { copyTestDatabase } from '../support/database.ts';
import { runToEnd, type Service, settingsFor, startService } from '../support/service.ts';
import { environment, makeDatabase, post, withService } from './processes.ts';
import { answering } from './workers.ts';

makeDatabase();

describe('the embedded database', () => {
  test('rejects a second process on its folder, and says which process holds it', async () => {
    await withService({}, async (service) => {
      const { code, errors } = await runToEnd('main', [], { ...environment, PORT: '0' });
      expect(code).toBe(1);
      expect(errors).toContain(`is in use by process ${service.pid} on `);
      expect(errors.trim().split('\n')).toHaveLength(1);
    });
  });

  test('is held by one of four processes that start at once', async () => {
    const starts = await Promise.allSettled(Array.from({ length: 4 }, () => startService(environment)));
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    await Promise.all(started.map((service) => service.stop()));
    expect(started).toHaveLength(1);
    expect(started[0]?.process.exitCode).toBe(0);
  });

  test('gets example data once, and none in production', async () => {
    const { location, dispose } = await copyTestDatabase();
    onTestFinished(dispose);
    const count = async (service: Service) =>
      (
        await (
          await post(service.base, '/graphql', { query: '{ pets { totalCount } categories { totalCount } }' })
        ).json()
      ).data;
    const production = { NODE_ENV: 'production', DATABASE: 'embedded', AUTH: 'required' };
    for (const [settings, pets, categories] of [
      [production, 0, 0],
      [{}, 200, 12],
      [{}, 200, 12],
    ] as const) {
      await withService({ ...settingsFor(location), ...settings }, async (service) => {
        expect(await count(service)).toEqual({ pets: { totalCount: pets }, categories: { totalCount: categories } });
      });
    }
  });

  test('is served by the process that was started, also with WORKERS=1', async () => {
    await withService({ LOG_LEVEL: 'debug', WORKERS: '1' }, async (service) => {
      expect(await answering(service)).toEqual([service.pid]);
    });
  });
});
