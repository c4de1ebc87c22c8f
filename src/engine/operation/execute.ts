import type { ExecutionResult } from 'graphql';
import type { Caller } from '../auth/access.ts';
import type { Authentication } from '../auth/authentication.ts';
import { READ } from '../auth/scope.ts';
import { isPermanent, ServiceError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import type { Outcome } from '../http/reply.ts';
import { readKey } from '../idempotency/key.ts';
import type { Idempotency } from '../idempotency/run.ts';
import type { EnforceLifecycle, Labels } from '../lifecycle/guard.ts';
import type { ConcurrencyLimiter } from '../limits/concurrency.ts';
import type { Meter } from '../limits/meter.ts';
import { UNITS_OF_KEY } from '../limits/units.ts';
import type { Context } from '../schema/context.ts';
import { callWithin, storesFor } from '../tracing/span.ts';
import type { PreparedOperation, Rejection, Variables } from './prepared.ts';

/** A request for an operation: what its protocol has read from it, and how the protocol responds. */
interface OperationRequest {
  readonly request: IncomingRequest;
  readonly caller: Caller;
  readonly labels: Labels;
  /** Reads the variables. Called only if the caller may run the operation, and the operation is still served. */
  variables(): Variables | Promise<Variables>;
  /** The digest of the request: all requests with one `Idempotency-Key` must have the same. */
  fingerprint(variables: Variables): string;
  /** The response if the operation must not run. */
  reject(rejections: readonly [Rejection, ...Rejection[]]): Outcome;
  /** Opens a stream instead of running the operation, outside of the limits of work in progress. */
  readonly open: ((variables: Variables) => Promise<Outcome>) | undefined;
  /** The response after the operation has run. */
  reply(result: ExecutionResult, variables: Variables): Outcome;
}

/**
 * Runs a prepared operation for a request.
 *
 * @throws {ServiceError} if it could not be completed, or may be retried: then nothing is changed
 */
export type ExecuteOperation = (operation: PreparedOperation, call: OperationRequest) => Promise<Outcome>;

interface ExecutorOptions {
  readonly context: Context;
  readonly authentication: Authentication;
  readonly concurrency: Pick<ConcurrencyLimiter, 'run'>;
  readonly enforceLifecycle: EnforceLifecycle;
  readonly idempotency: Idempotency;
  /** Called after each operation that may have changed something. */
  readonly onChange: () => void;
}

/** Makes the one function that runs the operations of all protocols. */
export function createExecutor(options: ExecutorOptions): ExecuteOperation {
  const { context, authentication, concurrency, enforceLifecycle, idempotency, onChange } = options;

  return async function executeOperation(operation, call) {
    const { request, caller } = call;
    const reject = (thrown: unknown) => {
      if (thrown instanceof ServiceError) return call.reject([{ error: thrown, node: undefined }]);
      throw thrown;
    };
    let variables: Variables;
    try {
      authentication.authorize(caller, operation.scopes);
      enforceLifecycle(operation.uses, request.headers, call.labels);
      const read = call.variables();
      variables = read instanceof Promise ? await read : read;
      charge(operation, request.meter, variables);
      if (operation.usesBy !== undefined) enforceLifecycle(operation.usesBy(variables), request.headers, call.labels);
    } catch (error) {
      return reject(error);
    }
    const rejections = operation.validate(variables);
    if (isRejected(rejections)) return call.reject(rejections);
    if (call.open !== undefined) return call.open(variables);
    let own = context;
    if (operation.wait !== undefined) {
      try {
        own = { ...context, ...(await operation.wait(variables, context, request)) };
      } catch (error) {
        return reject(error);
      }
    }
    const runNow = () =>
      concurrency.run(
        (signal) => run(operation, call, variables, own, signal),
        request.meter.load(operation.kind === 'change' ? 'change' : 'read'),
      );
    if (operation.kind !== 'change') return runNow();
    const key = readKey(request.headers);
    try {
      return await (key === null ? runNow() : once(key, operation, call, variables));
    } finally {
      onChange();
    }
  };

  /**
   * Runs it in a transaction that stores its response, or replays the stored one
   * (draft-ietf-httpapi-idempotency-key-header).
   */
  function once(key: string, operation: PreparedOperation, call: OperationRequest, variables: Variables) {
    const { request, caller } = call;
    request.meter.charge(UNITS_OF_KEY);
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

function charge(operation: PreparedOperation, meter: Meter, variables: Variables): void {
  const { units, bytes } = operation.cost(variables);
  meter.charge(units);
  meter.expect(bytes);
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
  const stores = storesFor(call.request, context);
  const own = operation.kind === 'change' ? forChange(operation, call, stores, signal) : stores;
  return call.reply(await operation.run(variables, own), variables);
}

/**
 * The context of a change. It is assigned, because on Node 20 each spread object that gets further properties has a
 * hidden class of its own, which only a major garbage collection frees.
 */
function forChange(
  { changesSeveral }: PreparedOperation,
  { request: { id } }: OperationRequest,
  stores: Context,
  signal: Pick<AbortSignal, 'aborted'>,
): Context {
  return Object.assign(changesSeveral ? { requestId: id, signal } : { requestId: id }, stores);
}

function isRejected(rejections: readonly Rejection[]): rejections is readonly [Rejection, ...Rejection[]] {
  return rejections.length > 0;
}
