import { createSchema } from '../engine/index.ts';

/** What the schema of the pet store is built with: each resource adds its types and fields. */
export const { builder, buildSchema, connectionTo, expectedVersion, pagingArgs } = createSchema();
