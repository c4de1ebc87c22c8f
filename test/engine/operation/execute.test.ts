import { expect, test } from 'vitest';
import type { ConcurrencyLimiter } from '../../../src/engine/limits/concurrency.ts';
import type { Context } from '../../../src/engine/schema/context.ts';
import { executorIn } from '../../support/executor.ts';

test.each([
  ['a read without a cost is one unit', { kind: 'read' }, {}, 1],
  ['a read is as many as it costs', { kind: 'read', units: 7 }, {}, 7],
  ['a read with a long response is one for each 16 KiB', { kind: 'read', units: 7, bytes: 10 * 16_384 }, {}, 10],
  ['a change is ten times as many, because it may wait for a row', { kind: 'change', units: 7 }, {}, 70],
  ['a change with a key, which costs two more, also is', { kind: 'change', units: 7 }, { 'idempotency-key': 'k' }, 90],
] as const)('of the work in progress, %s', async (_, { kind, ...cost }, fields, expected) => {
  const loads: number[] = [];
  const run: ConcurrencyLimiter['run'] = async (work, { units }) => {
    loads.push(units);
    return work({ aborted: false });
  };
  const execute = executorIn({} as Context, { run });
  await execute({ kind, cost: () => ({ units: 0, bytes: 0, ...cost }) }, fields);
  expect(loads).toEqual([expected]);
});
