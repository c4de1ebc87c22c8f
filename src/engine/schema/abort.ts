import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { tooSlow } from '../db/failures.ts';
import type { Context } from './context.ts';

/** Starts no further change of an operation with several when its request has been given up. */
export function abortChanges(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const resolve: GraphQLFieldResolver<unknown, Context> = field.resolve ?? defaultFieldResolver;
    field.resolve = (parent, args, context: Context, info) => {
      if (context.signal?.aborted) throw tooSlow();
      return resolve(parent, args, context, info);
    };
  }
}
