import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchWrites, loaderOf } from '../../../src/engine/db/batch.ts';
import { Database } from '../../../src/engine/db/client.ts';
import { DatabaseError } from '../../../src/engine/db/failures.ts';

const notUsed = () => Promise.reject(new Error('It is not used.'));
const database = new Database({ kind: 'embedded', query: notUsed, transaction: notUsed, close: notUsed });

/** Any order of events; after each, what has been gathered may leave. */
const anyOrder = fc.scheduler({ act: (event) => event().then(() => tick()) });

const key = fc.nat(5);
const act = fc.oneof(
  fc.record({ kind: fc.constant('one' as const), key }),
  fc.record({ kind: fc.constant('many' as const), keys: fc.array(key, { maxLength: 6 }) }),
  fc.record({ kind: fc.constant('write' as const), key }),
);

test('whatever is asked for and written, in whatever order it happens: each gets its own rows, none older than its question', async () => {
  await fc.assert(
    fc.asyncProperty(anyOrder, fc.array(act, { maxLength: 30, size: 'max' }), async (scheduler, acts) => {
      // Odd keys have a row; how often it was written is its version.
      const versions = new Map<number, number>([1, 3, 5].map((odd) => [odd, 0]));
      const fetch = scheduler.scheduleFunction(async (keys: readonly number[]) =>
        keys.flatMap((asked) => (versions.has(asked) ? [{ key: asked, version: versions.get(asked) as number }] : [])),
      );
      const { load: one, loadMany: many } = loaderOf(database, 'any', fetch, (row) => row.key);

      const read = async (keys: readonly number[], ask: () => Promise<readonly unknown[]>) => {
        const known = keys.map((asked) => versions.get(asked));
        for (const [index, row] of (await ask()).entries()) {
          const atLeast = known[index];
          if (atLeast === undefined) expect(row).toBeUndefined();
          else {
            const { key: its, version } = row as { key: number; version: number };
            expect(its).toBe(keys[index]);
            expect(version).toBeGreaterThanOrEqual(atLeast);
          }
        }
      };
      const all = acts.map(async (doing) => {
        await scheduler.schedule(Promise.resolve(), doing.kind);
        if (doing.kind === 'one') await read([doing.key], async () => [await one(doing.key)]);
        else if (doing.kind === 'many') await read(doing.keys, () => many(doing.keys));
        else if (versions.has(doing.key)) versions.set(doing.key, (versions.get(doing.key) as number) + 1);
      });
      await scheduler.waitFor(Promise.all(all));
    }),
    { numRuns: 100 },
  );
});

test('whatever is written at once, in whatever order it happens: what is good is written once, what is bad fails alone', async () => {
  // Above 15 is what would have to wait, and is left out of what is written together; below 0 is what is rejected.
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
          async (items) => {
            const some = (JSON.parse(items) as { n: number; place: number }[]).filter(({ n }) => n <= 15);
            await write(some.map(({ n }) => n));
            return some.map(({ n, place }) => ({ tenfold: n * 10, place }));
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
