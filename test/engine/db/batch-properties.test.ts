import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchWrites, loaderOf } from '../../../src/engine/db/batch.ts';
import { Database } from '../../../src/engine/db/client.ts';
import { DatabaseError } from '../../../src/engine/db/violations.ts';

const notUsed = () => Promise.reject(new Error('It is not used.'));
const database = new Database({ kind: 'embedded', query: notUsed, transaction: notUsed, close: notUsed });

/** Any order of events; after each, the current batch may be sent. */
const anyOrder = fc.scheduler({ act: (event) => event().then(() => tick()) });

const key = fc.nat(5);
const action = fc.oneof(
  fc.record({ kind: fc.constant('one' as const), key }),
  fc.record({ kind: fc.constant('many' as const), keys: fc.array(key, { maxLength: 6 }) }),
  fc.record({ kind: fc.constant('write' as const), key }),
);

test('batched reads return the rows of their keys, none older than the read, in any order of reads and writes', async () => {
  await fc.assert(
    fc.asyncProperty(anyOrder, fc.array(action, { maxLength: 30, size: 'max' }), async (scheduler, actions) => {
      // Odd keys have a row; its version is the number of writes.
      const versions = new Map<number, number>([1, 3, 5].map((odd) => [odd, 0]));
      const fetch = scheduler.scheduleFunction(async (keys: readonly number[]) =>
        keys.flatMap((id) => (versions.has(id) ? [{ key: id, version: versions.get(id) as number }] : [])),
      );
      const { load: one, loadMany: many } = loaderOf(database, 'any', fetch, (row) => row.key);

      const read = async (keys: readonly number[], load: () => Promise<readonly unknown[]>) => {
        const versionsBefore = keys.map((id) => versions.get(id));
        for (const [index, row] of (await load()).entries()) {
          const minVersion = versionsBefore[index];
          if (minVersion === undefined) expect(row).toBeUndefined();
          else {
            const { key: rowKey, version } = row as { key: number; version: number };
            expect(rowKey).toBe(keys[index]);
            expect(version).toBeGreaterThanOrEqual(minVersion);
          }
        }
      };
      const all = actions.map(async (next) => {
        await scheduler.schedule(Promise.resolve(), next.kind);
        if (next.kind === 'one') await read([next.key], async () => [await one(next.key)]);
        else if (next.kind === 'many') await read(next.keys, () => many(next.keys));
        else if (versions.has(next.key)) versions.set(next.key, (versions.get(next.key) as number) + 1);
      });
      await scheduler.waitFor(Promise.all(all));
    }),
    { numRuns: 100 },
  );
});

test('of batched writes, each valid one is done once and each invalid one fails alone, in any order', async () => {
  // An item above 15 would have to wait, so the batch skips it; one below 0 is rejected.
  const number = fc.integer({ min: -1, max: 20 });
  await fc.assert(
    fc.asyncProperty(
      anyOrder,
      fc.array(fc.array(number, { maxLength: 6 }), { maxLength: 9 }),
      async (scheduler, bursts) => {
        const written: number[] = [];
        const write = async (some: readonly number[]) => {
          await scheduler.schedule(Promise.resolve());
          if (some.some((one) => one < 0)) throw new DatabaseError(`${some}`, '23503', undefined, undefined);
          written.push(...some);
        };
        const writes = batchWrites<{ n: number }, { tenfold: number }>(
          database,
          'any',
          async ({ rows } = {}) => {
            const some = (JSON.parse(String(rows)) as { n: number; index: number }[]).filter(({ n }) => n <= 15);
            await write(some.map(({ n }) => n));
            return some.map(({ n, index }) => ({ tenfold: n * 10, index }));
          },
          async ({ n }) => {
            await write([n]);
            return { tenfold: n * 10 };
          },
        );
        const all = bursts.map(async (burst) => {
          await scheduler.schedule(Promise.resolve());
          return Promise.allSettled(burst.map((n) => writes({ n })));
        });
        const outcomes = (await scheduler.waitFor(Promise.all(all))).flat();
        const numbers = bursts.flat();
        expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message))).toEqual(
          numbers.map((n) => (n < 0 ? `${n}` : { tenfold: n * 10 })),
        );
        expect(written.toSorted()).toEqual(numbers.filter((n) => n >= 0).toSorted());
      },
    ),
    { numRuns: 100 },
  );
});
