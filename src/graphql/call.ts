import type { ExecutionResult } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { Caller } from '../auth/access.ts';
import type { ServiceError } from '../errors.ts';
import type { HttpReply } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import { loadOf } from '../limits/charge.ts';
import type { Gate } from '../limits/gate.ts';
import { storesFor } from '../tracing/span.ts';
import type { Context } from './context.ts';
import { toClientError } from './errors.ts';
import type { LifecycleNotice } from './lifecycle.ts';
import type { KnownOperation } from './operations.ts';
import type { GraphQLRequest } from './params.ts';

/** A request on its way through the server. */
export interface Call {
  readonly request: GraphQLRequest;
  readonly caller: Caller;
  /** Whether it may read what is stored. */
  readonly mayRead: boolean;
  /** Of the answer. */
  readonly mediaType: string;
  readonly params: Promise<GraphQLParams | undefined>;
  /** Lets it in once nothing has refused it. */
  readonly gate: Pick<Gate, 'run'>;
  /** What its resolvers are given; asked for when nothing has refused it. */
  readonly context: () => Context | Promise<Context>;
  /** The root field that the operation selects, or `several`: a label of few values. */
  operation: string;
  notice: LifecycleNotice | undefined;
  /** The answer to a known operation, and the same as it is sent; a failure is left to the server to send. */
  reply: HttpReply | undefined;
  result: ExecutionResult | undefined;
  error: ServiceError | undefined;
  /** Whether the answer names stored values in an error, which only a caller that may read is told. */
  needsRead: boolean;
}

/** A call that has just come. All that it will have is there from the start, so that V8 knows every call by one shape. */
export function newCall(
  {
    request,
    mediaType,
    caller,
    mayRead,
    params,
  }: Pick<Call, 'request' | 'mediaType' | 'caller' | 'mayRead' | 'params'>,
  gate: Call['gate'],
  context: Call['context'],
): Call {
  return {
    request,
    mediaType,
    caller,
    mayRead,
    params,
    gate,
    context,
    operation: 'none',
    notice: undefined,
    reply: undefined,
    result: undefined,
    error: undefined,
    needsRead: false,
  };
}

/** Runs an operation for a call once it is let in; its context is there at once, or comes. */
export function runCall(
  { gate, context, request }: Call,
  { run, isMutation, changesSeveral }: KnownOperation,
  variables: Readonly<Record<string, unknown>>,
): Promise<ExecutionResult> {
  return gate.run(
    (isWanted) => {
      const own = context();
      const runIn = (given: Context) => {
        const stores = storesFor(request, given);
        return run(variables, changesSeveral ? { ...stores, isWanted } : stores);
      };
      return own instanceof Promise ? own.then(runIn) : runIn(own);
    },
    loadOf(request, isMutation ? 'change' : 'read'),
  );
}

/** The same result; its errors have the messages for the call's caller. */
export function forCaller({ mayRead }: Call, result: ExecutionResult): ExecutionResult {
  if (result.errors === undefined) return result;
  return { ...result, errors: result.errors.map((error) => toClientError(error, mayRead)) };
}

/** The call that a request of Yoga's is about. */
export function callOf(request: Request): Call {
  return (request as Request & { readonly call: Call }).call;
}

/** The answer as JSON, with what it tells of marks. */
export function writeAnswer(result: object, notice: LifecycleNotice | undefined): string {
  const text = stringifyJson(result);
  return notice?.extensions === undefined ? text : `${text.slice(0, -1)},"extensions":${notice.extensions}}`;
}
