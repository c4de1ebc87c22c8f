import type { ExecutionResult } from 'graphql';
import type { Caller } from '../auth/access.ts';
import type { Authentication } from '../auth/authentication.ts';
import { READ } from '../auth/scope.ts';
import { isPermanent, ServiceError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import type { Outcome } from '../http/reply.ts';
import { readKey } from '../idempotency/key.ts';
import type { Idempotency } from '../idempotency/run.ts';
import type { EnforceLifecycle, Labels } from '../lifecycle/enforcement.ts';
import type { ConcurrencyLimiter } from '../limits/concurrency.ts';
import type { ListCosts } from '../limits/units.ts';
import type { Context } from '../schema/context.ts';
import { callWithin } from '../tracing/span.ts';
import type { PreparedOperation, Rejection, Variables } from './prepared.ts';

/** What the protocol has read from a request for an operation, and how it responds. */
interface OperationRequest {
  readonly request: IncomingRequest;
  readonly caller: Caller;
  readonly labels: Labels;
  /** Reads the variables. Called only if the caller may run the operation, and the operation is still served. */
  variables(): Variables | Promise<Variables>;
  /** The digest of the request: all requests with one `Idempotency-Key` must have the same. */
  fingerprint(variables: Variables): string;
  /** The response to an operation that must not run. */
  reject(rejections: readonly [Rejection, ...Rejection[]]): Outcome;
  /**
   * Opens a stream instead of running the operation, outside of the limits of work in progress. `recheck` rejects when
   * the caller may no longer have it, or it is no longer served.
   */
  readonly open: ((variables: Variables, recheck: () => Promise<void>) => Promise<Outcome>) | undefined;
  /** The response after the operation has run. */
  reply(result: ExecutionResult, variables: Variables): Outcome;
}

/** Runs a prepared operation for a request; throws a `ServiceError` if it may be retried: then nothing is changed. */
export type ExecuteOperation = (operation: PreparedOperation, call: OperationRequest) => Promise<Outcome>;

interface ExecutorOptions {
  readonly context: Context;
  readonly authentication: Authentication;
  readonly concurrency: Pick<ConcurrencyLimiter, 'run'>;
  readonly enforceLifecycle: EnforceLifecycle;
  readonly idempotency: Idempotency;
  readonly costs: ListCosts;
  /** Called after each operation that may have changed something. */
  readonly onChange: () => void;
}

/** Makes the one function that runs the operations of all protocols. */
export function createExecutor(options: ExecutorOptions): ExecuteOperation {
  const { context, authentication, concurrency, enforceLifecycle, idempotency, costs, onChange } = options;

  return async function executeOperation(operation, call) {
    const { request, caller } = call;
    let variables: Variables;
    let runContext = context;
    try {
      authentication.authorize(caller, operation.scopes);
      enforceLifecycle(operation.uses.always, request.headers, call.labels);
      variables = await call.variables();
      const { units, bytes } = operation.cost(variables, costs);
      request.meter.charge(units);
      request.meter.expect(bytes);
      const uses = operation.uses.given(variables);
      enforceLifecycle(uses, request.headers, call.labels);
      const rejections = operation.validate(variables);
      if (rejections[0] !== undefined) return call.reject([rejections[0], ...rejections.slice(1)]);
      if (call.open !== undefined) {
        return call.open(variables, async () => {
          await authentication.recheck(request, operation.scopes);
          enforceLifecycle([...operation.uses.always, ...uses], request.headers, call.labels, 'again');
        });
      }
      if (operation.wait !== undefined) {
        runContext = { ...context, ...(await operation.wait(variables, context, request)) };
        // The credential may have been revoked meanwhile.
        await authentication.recheck(request, operation.scopes);
      }
    } catch (error) {
      if (error instanceof ServiceError) return call.reject([{ error, node: undefined }]);
      throw error;
    }
    const runNow = (load: 'read' | 'change') =>
      concurrency.run((signal) => run(operation, call, variables, runContext, signal), request.meter.load(load));
    if (operation.kind !== 'change') return runNow('read');
    const key = readKey(request.headers);
    const running = key === null ? runNow('change') : once(key, operation, call, variables);
    return running.finally(onChange);
  };

  /** Runs it in a transaction that stores the response; or replays that (draft-ietf-httpapi-idempotency-key-header). */
  function once(key: string, operation: PreparedOperation, call: OperationRequest, variables: Variables) {
    const { request, caller } = call;
    request.meter.chargeKey();
    const keyed = {
      caller: caller.id,
      account: request.meter.account,
      authorizeRead: () => authentication.authorize(caller, [READ]),
      key,
      fingerprint: call.fingerprint(variables),
    };
    const changes = operation.changesSeveral ? 'several' : 'one';
    return concurrency.run(
      (signal) =>
        callWithin(request, () =>
          idempotency.answer(keyed, (own) => committed(run(operation, call, variables, own, signal)), changes),
        ),
      request.meter.load('change'),
    );
  }
}

/** Rolls back what may be retried: it must not be stored as the response. */
async function committed(running: Promise<Outcome>): Promise<Outcome> {
  const outcome = await running;
  if (outcome.error !== undefined && !isPermanent(outcome.error)) throw outcome.error;
  return outcome;
}

async function run(
  operation: PreparedOperation,
  call: OperationRequest,
  variables: Variables,
  context: Context,
  signal: Pick<AbortSignal, 'aborted'>,
): Promise<Outcome> {
  let runContext = call.request.span?.stores(context) ?? context;
  if (operation.kind === 'change') {
    const { id, meter } = call.request;
    // Not a spread: on Node 20 its object would have a hidden class of its own until a major garbage collection.
    runContext = Object.assign(
      operation.changesSeveral
        ? { requestId: id, account: meter.account, signal }
        : { requestId: id, account: meter.account },
      runContext,
    );
  }
  return call.reply(await operation.run(variables, runContext), variables);
}
