import { defaultFieldResolver, type GraphQLField, type GraphQLSchema } from 'graphql';
import { tooSlow } from '../db/failures.ts';
import type { Context } from './context.ts';

declare module './context.ts' {
  interface Context {
    /** Aborted when the request has been given up; undefined for an operation with a single change. */
    readonly signal?: Pick<AbortSignal, 'aborted'>;
  }
}

/** Starts no further change of an operation with several when its request has been given up. */
export function abortChanges(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) startUnlessAborted(field);
}

function startUnlessAborted(field: GraphQLField<unknown, Context>): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (parent, args, context, info) => {
    if (context.signal?.aborted) throw tooSlow();
    return resolve(parent, args, context, info);
  };
}
