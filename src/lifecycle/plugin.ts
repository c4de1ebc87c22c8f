import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { GraphQLField } from 'graphql';
import { assertMark, type DeprecationMark, type Mark } from './mark.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      lifecycle: LifecyclePlugin<Types>;
    }
    // The parameters have to be those of the interface that this adds to.
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** How far the field can be relied on: `beta()`, `experimental()` or `deprecated({...})`. */
      lifecycle?: Mark;
    }
  }
}

/** Carries each mark from beside its field into the built schema, where all else reads it. */
export class LifecyclePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const mark = field.pothosOptions.lifecycle;
    if (mark === undefined) return field;
    assertMark(`${field.parentType}.${field.name}`, mark);
    return {
      ...field,
      description: `[${mark.level}] ${field.description}`,
      ...(mark.level === 'deprecated' && { deprecationReason: reasonFor(mark) }),
      extensions: { ...field.extensions, lifecycle: mark },
    };
  }
}

/** The mark of a field of the built schema. */
export function markOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions'>): Mark | undefined {
  return field.extensions.lifecycle as Mark | undefined;
}

function reasonFor({ why, successor, sunset }: DeprecationMark): string {
  return `${why} Use ${successor.field} instead. Served until ${sunset}.`;
}

SchemaBuilder.registerPlugin('lifecycle', LifecyclePlugin);
