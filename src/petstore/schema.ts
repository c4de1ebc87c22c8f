import { createSchema } from '../engine/index.ts';

/** The builder of the pet store's schema, to which each resource adds its types and fields. */
export const { builder, buildSchema, connectionTo, expectedVersion, pagingArgs, readFields, writeFields } =
  createSchema();
