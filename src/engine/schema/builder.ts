import SchemaBuilder from '@pothos/core';
import type { Int64 } from '../int64.ts';
import type { Context } from './context.ts';
import './plugin.ts';
import { dateScalar, dateTimeScalar, int64Scalar } from './scalars.ts';

/** Creates the builder to which the resources of an application add their types and fields. */
export function createBuilder() {
  const builder = new SchemaBuilder<{
    Context: Context;
    DefaultFieldNullability: false;
    Scalars: {
      Int64: { Input: Int64; Output: Int64 };
      /** As `2026-11-21`. */
      Date: { Input: string; Output: string };
      DateTime: { Input: Date; Output: Date };
    };
  }>({ plugins: ['engine'], defaultFieldNullability: false });
  builder.addScalarType('Int64', int64Scalar);
  builder.addScalarType('Date', dateScalar);
  builder.addScalarType('DateTime', dateTimeScalar);
  builder.queryType({ description: 'Everything that can be read.' });
  builder.mutationType({
    description: 'Everything that can be changed. Each field returns the row that it created, changed or deleted.',
  });
  return builder;
}

export type Builder = ReturnType<typeof createBuilder>;

/** The type parameter of everything that the builder makes. */
export type Types = Builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** The reference to an object type of this builder with `Row` as the parent of its resolvers. */
export type RowRef<Row> = PothosSchemaTypes.ObjectRef<Types, Row>;
