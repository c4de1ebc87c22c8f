import type { GraphQLSchema } from 'graphql';
import { createBuilder } from './schema/builder.ts';
import { connections } from './schema/connection.ts';
import { versionArgs } from './schema/version.ts';
import { addLifecycle } from './usage/graphql.ts';

/**
 * What the schema of an application is built with.
 *
 * @example
 * const { builder, connectionTo, pagingArgs, expectedVersion, buildSchema } = createSchema();
 * builder.queryField('hello', (t) => t.string({ description: 'A greeting.', resolve: () => 'Hello' }));
 * const schema = buildSchema();
 */
export function createSchema() {
  const builder = createBuilder();
  return {
    builder,
    ...connections(builder),
    /** The argument by which a write is only for a row that nobody has changed meanwhile. */
    expectedVersion: versionArgs(builder),
    /** The schema of what was added; once, after everything was: types are printed in the order in which they are added. */
    buildSchema(): GraphQLSchema {
      addLifecycle(builder);
      return builder.toSchema({ sortSchema: false });
    },
  };
}
