import type { ExecutionResult } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { ServiceError } from '../errors.ts';
import type { Context } from './builder.ts';
import type { LifecycleNotice } from './lifecycle.ts';
import type { GraphQLRequest } from './params.ts';

/** A request on its way through the server. */
export interface Call {
  readonly request: GraphQLRequest;
  readonly params: Promise<GraphQLParams | undefined>;
  operation: string;
  notice?: LifecycleNotice;
  /** The answer to a known operation, where it is left to the server to send it. */
  result?: ExecutionResult | undefined;
  error?: ServiceError;
}

/** What plugins find in Yoga's context. */
export interface ServerContext {
  readonly call: Call;
}

/** A plugin of the server. */
export type ServerPlugin = Plugin<Context & ServerContext, ServerContext>;

/** The answer with what it tells of marks. */
export function withNotice(result: object, notice: LifecycleNotice | undefined): object {
  const lifecycle = notice?.extension ?? [];
  return lifecycle.length === 0 ? result : { ...result, extensions: { lifecycle } };
}
