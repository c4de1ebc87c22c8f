import { ANONYMOUS, OPEN_ACCESS } from '../../src/engine/auth/access.ts';
import { createAuthentication } from '../../src/engine/auth/authentication.ts';
import type { IncomingRequest } from '../../src/engine/http/incoming.ts';
import { byCoordinate, type EnforceLifecycle } from '../../src/engine/lifecycle/enforcement.ts';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '../../src/engine/limits/concurrency.ts';
import { CpuThrottle } from '../../src/engine/limits/cpu-throttle.ts';
import { Meter } from '../../src/engine/limits/meter.ts';
import { listCosts } from '../../src/engine/limits/units.ts';
import { createExecutor } from '../../src/engine/operation/execute.ts';
import type { PreparedOperation } from '../../src/engine/operation/prepared.ts';
import type { Context } from '../../src/engine/schema/context.ts';

const OUTCOME = { reply: { status: 200, headers: [], body: null }, error: undefined };

/** The executor of an open service without a database: every request is executed, whatever its key. */
export function openExecutor(
  context: Context,
  concurrency: Pick<ConcurrencyLimiter, 'run'>,
  enforceLifecycle: EnforceLifecycle = () => {},
) {
  return createExecutor({
    context,
    authentication: createAuthentication(OPEN_ACCESS, concurrency, new CpuThrottle(1)),
    concurrency,
    enforceLifecycle,
    idempotency: { answer: (_, work) => work(context), begin: () => {}, end: async () => {} },
    costs: listCosts(() => []),
    onChange: () => {},
  });
}

/** Makes a function that executes operations, of which only what matters has to be given, for an open service. */
export function executorIn(
  context: Context,
  concurrency: Parameters<typeof openExecutor>[1] = createConcurrencyLimiter(10, 10_000),
) {
  const executeOperation = openExecutor(context, concurrency);
  return async (
    operation: Partial<PreparedOperation>,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const request: Partial<IncomingRequest> = {
      id: 'r',
      headers: new Headers(fields),
      meter: new Meter('anybody', undefined, new CpuThrottle(1)),
      isAborted: () => false,
    };
    const whole: Partial<PreparedOperation> = {
      scopes: [],
      uses: { always: [], given: () => [] },
      cost: () => ({ units: 0, bytes: 0 }),
      validate: () => [],
      run: () => ({}),
      ...operation,
    };
    await executeOperation(whole as PreparedOperation, {
      request: request as IncomingRequest,
      caller: ANONYMOUS,
      labels: byCoordinate,
      variables: () => ({}),
      fingerprint: () => '',
      reject: ([{ error }]) => {
        throw error;
      },
      open: undefined,
      reply: () => OUTCOME,
    });
  };
}
