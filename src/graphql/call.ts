import type { ExecutionResult } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { ServiceError } from '../errors.ts';
import type { HttpReply } from '../http/reply.ts';
import type { LifecycleNotice } from './lifecycle.ts';
import type { GraphQLRequest } from './params.ts';

/** A request on its way through the server. */
export interface Call {
  readonly request: GraphQLRequest;
  readonly params: Promise<GraphQLParams | undefined>;
  /** The root field that the operation selects, or `several`: a label of few values. */
  operation: string;
  notice?: LifecycleNotice;
  /** The answer to a known operation, and the same as it is sent; a failure is left to the server to send. */
  reply?: HttpReply;
  result?: ExecutionResult | undefined;
  error?: ServiceError;
}

/** The call that a request of Yoga's is about. */
export function callOf(request: Request): Call {
  return (request as Request & { readonly call: Call }).call;
}

/** The answer with what it tells of marks. */
export function withNotice(result: object, notice: LifecycleNotice | undefined): object {
  const lifecycle = notice?.extension ?? [];
  return lifecycle.length === 0 ? result : { ...result, extensions: { lifecycle } };
}
