import { expect, test } from 'vitest';
import { ANONYMOUS, OPEN_ACCESS } from '../../../src/engine/auth/access.ts';
import { createAuthentication } from '../../../src/engine/auth/authentication.ts';
import type { IncomingRequest } from '../../../src/engine/http/incoming.ts';
import { byCoordinate } from '../../../src/engine/lifecycle/enforcement.ts';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '../../../src/engine/limits/concurrency.ts';
import { CpuThrottle } from '../../../src/engine/limits/cpu-throttle.ts';
import { Meter } from '../../../src/engine/limits/meter.ts';
import { listCosts } from '../../../src/engine/limits/units.ts';
import { createExecutor } from '../../../src/engine/operation/execute.ts';
import type { PreparedOperation } from '../../../src/engine/operation/prepared.ts';
import type { Context } from '../../../src/engine/schema/context.ts';

const OUTCOME = { reply: { status: 200, headers: [], body: null }, error: undefined };

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
  const context = {} as Context;
  const executeOperation = createExecutor({
    context,
    authentication: createAuthentication(OPEN_ACCESS, createConcurrencyLimiter(10, 10_000)),
    concurrency: { run },
    enforceLifecycle: () => {},
    idempotency: { answer: (_, work) => work(context), begin: () => {}, end: async () => {} },
    costs: listCosts(() => []),
    onChange: () => {},
  });
  const operation = {
    kind,
    scopes: [],
    uses: { always: [], given: () => [] },
    cost: () => ({ units: 0, bytes: 0, ...cost }),
    validate: () => [],
    run: () => ({}),
  } as Partial<PreparedOperation> as PreparedOperation;
  const request = {
    headers: new Headers(fields),
    meter: new Meter('anybody', undefined, new CpuThrottle(1)),
  } as Partial<IncomingRequest> as IncomingRequest;
  await executeOperation(operation, {
    request,
    caller: ANONYMOUS,
    labels: byCoordinate,
    variables: () => ({}),
    fingerprint: () => '',
    reject: () => expect.fail('It may run.'),
    open: undefined,
    reply: () => OUTCOME,
  });
  expect(loads).toEqual([expected]);
});
