import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { OPEN_ACCESS } from '../../../src/engine/auth/access.ts';
import { createApp } from '../../../src/engine/service.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { createMetrics } from '../../../src/process/metrics.ts';
import type { Settings } from '../../../src/process/settings.ts';
import type { TestApp } from '../../support/app.ts';
import { defaultRules, defaultSettings } from '../../support/rules.ts';
import { watched } from '../../support/watched.ts';
import { disposeApps, MOMENT, start, unitsLeft } from './apps.ts';

disposeApps();

/** Acts as another process on the same database. */
const beside = ({ database }: TestApp, RATE_LIMIT: Settings['RATE_LIMIT'], clock: () => number) =>
  createApp({
    application: petStoreService,
    database,
    settings: { ...defaultSettings, RATE_LIMIT },
    access: OPEN_ACCESS,
    rules: defaultRules,
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
    clock,
  });

describe('RATE_LIMIT', () => {
  test('is shared by processes within a second, without a statement for each request', async () => {
    const rate = { units: 10, seconds: 60 };
    const clock = () => MOMENT;
    const one = await start({ RATE_LIMIT: rate }, {}, undefined, clock);
    const other = beside(one, rate, clock);
    const elsewhere = () => other.fetch(new Request('http://pets.example/pets/1'));
    for (let n = 0; n < 6; n++) await one.rest('GET', '/pets/1');
    expect(unitsLeft(await elsewhere())).toBe(9);
    await one.flush();
    await other.flush();
    expect(unitsLeft(await elsewhere())).toBe(2);
    expect(one.statements.filter((name) => name === 'limits.addUses')).toHaveLength(2);
  });

  test('is shared by processes that started before and after a jump of their clock: they use the database’s clock', async () => {
    const rate = { units: 10, seconds: 3_600 };
    const one = await start({ RATE_LIMIT: rate });
    const other = beside(one, rate, () => Date.now() + 86_400_000);
    await Promise.all([one.begin(), other.begin()]);
    for (let n = 0; n < 6; n++) await one.rest('GET', '/pets/1');
    await one.flush();
    await other.fetch(new Request('http://pets.example/pets/1'));
    await other.flush();
    const answer = await other.fetch(new Request('http://pets.example/pets/1'));
    expect(unitsLeft(answer)).toBe(2);
  });

  test.each([3_600, -3_600, 86_400, 1])('is shared by processes whose clocks are %d s apart', async (apart) => {
    const rate = { units: 10, seconds: 60 };
    const now = { milliseconds: MOMENT };
    const one = await start({ RATE_LIMIT: rate }, {}, undefined, () => now.milliseconds);
    const other = beside(one, rate, () => now.milliseconds + apart * 1_000);
    const elsewhere = () => other.fetch(new Request('http://pets.example/pets/1'));
    const count = async () => {
      await one.rest('GET', '/pets/1');
      await elsewhere();
      for (const app of [one, other, one]) await app.flush();
    };
    // A process that is behind continues in the window of the other, and shares its counts from the next time on.
    for (let n = 0; n < 2; n++) await count();
    now.milliseconds += 60_000;
    for (let n = 0; n < 3; n++) await one.rest('GET', '/pets/1');
    await one.flush();
    for (let n = 0; n < 2; n++) await elsewhere();
    await other.flush();
    await one.rest('GET', '/pets/1');
    await one.flush();
    expect([unitsLeft(await elsewhere()), unitsLeft(await one.rest('GET', '/pets/1'))]).toEqual([4, 3]);
  });

  test('gives no caller more units when a process is ahead, or was ahead and has stopped', async () => {
    const rate = { units: 10, seconds: 60 };
    const now = { milliseconds: MOMENT };
    const one = await start({ RATE_LIMIT: rate }, {}, undefined, () => now.milliseconds);
    const ahead = beside(one, rate, () => now.milliseconds + 86_400_000);
    for (let n = 0; n < 10; n++) await ahead.fetch(new Request('http://pets.example/pets/1'));
    await ahead.flush();
    await one.rest('GET', '/pets/1');
    for (let n = 0; n < 2; n++) {
      await one.flush();
      await one.rest('GET', '/pets/1');
    }
    await one.flush();
    const { status, headers } = await one.rest('GET', '/pets/1');
    expect(status).toBe(429);
    now.milliseconds += Number(headers.get('retry-after')) * 1_000;
    expect((await one.rest('GET', '/pets/1')).status).toBe(404);
  });

  test('counts nothing twice when old windows cannot be deleted', async () => {
    const app = await start(
      { RATE_LIMIT: { units: 10, seconds: 60 } },
      {},
      (database) =>
        watched(database, async ({ text }, run) => {
          if (text.startsWith('delete from "rate_limits"')) throw new Error('The connection is lost.');
          return run();
        }),
      () => MOMENT,
    );
    for (let n = 0; n < 3; n++) await app.rest('GET', '/pets/1');
    for (let n = 0; n < 3; n++) await app.flush();
    expect(unitsLeft(await app.rest('GET', '/pets/1'))).toBe(6);
  });

  test.each([1, 7_200])('is also shared once its window is no longer the %d s of before', async (seconds) => {
    const rate = { units: 10, seconds: 60 };
    const now = { milliseconds: MOMENT };
    const clock = () => now.milliseconds;
    const one = await start({ RATE_LIMIT: rate }, {}, undefined, clock);
    const before = beside(one, { units: 10, seconds }, clock);
    await before.fetch(new Request('http://pets.example/pets/1'));
    await before.flush();
    now.milliseconds += 60_000;
    const other = beside(one, rate, clock);
    for (let n = 0; n < 6; n++) await one.rest('GET', '/pets/1');
    await other.fetch(new Request('http://pets.example/pets/1'));
    await one.flush();
    await other.flush();
    expect(unitsLeft(await other.fetch(new Request('http://pets.example/pets/1')))).toBe(2);
  });
});
