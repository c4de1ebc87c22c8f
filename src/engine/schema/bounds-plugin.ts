import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type FieldRequiredness,
  type InputFieldMap,
  type InputType,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import {
  type GraphQLArgument,
  type GraphQLField,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Bounds, TextBounds } from './bounds.ts';
import { searchesOf } from './connection-type.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      bounds: BoundsPlugin<Types>;
    }
    // Declaration merging needs the same type parameters as the original interfaces.
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** The bounds of the text that it returns: those of the input that the text comes from. */
      bounds?: TextBounds;
    }
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      /** The constraints of the value beyond its type. */
      bounds?: Bounds;
      /** Whether an optional field of an input object accepts null, to remove its value. */
      nullRemoves?: boolean;
    }
  }
}

/** Adds the bounds of input fields and arguments to their descriptions and extensions, and those of text to its size. */
class BoundsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(field: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const { bounds, nullRemoves = false } = field.pothosOptions;
    return {
      ...field,
      ...(bounds?.accepts !== undefined && { description: `${field.description} Accepts ${bounds.accepts}.` }),
      extensions: { ...field.extensions, bounds, rejectsNull: field.kind === 'InputObject' && !nullRemoves },
    };
  }

  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { bounds } = field.pothosOptions;
    return bounds === undefined
      ? field
      : { ...field, extensions: { ...field.extensions, maxLength: bounds.maxLength } };
  }

  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    assertBounded(schema);
    return schema;
  }
}

/**
 * Rejects text without bounds. In input it could have any length, and characters that cannot be stored, such as NUL; in
 * the rows of a list it would not count towards the size of the response.
 *
 * @throws {Error} with every argument, input field and field of a row that lacks bounds
 */
function assertBounded(schema: GraphQLSchema): void {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const unbounded = types.flatMap((type) => {
    if (isInputObjectType(type)) return unboundedOf(Object.values(type.getFields()), (name) => `${type.name}.${name}`);
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      unboundedOf(field.args, (name) => `${type.name}.${field.name}(${name}:)`),
    );
  });
  for (const connection of types.filter(isObjectType).filter(searchesOf)) {
    const row = getNamedType(connection.getFields().nodes?.type);
    if (!isObjectType(row)) continue;
    unbounded.push(...unboundedOf(Object.values(row.getFields()), (name) => `${row.name}.${name}`));
  }
  if (unbounded.length === 0) return;
  throw new Error(`Text needs bounds, such as text({ min: 1, max: 200 }): ${unbounded.join(', ')}.`);
}

function unboundedOf(
  places: readonly (GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>)[],
  toCoordinate: (name: string) => string,
): string[] {
  return places
    .filter(({ type }) => [GraphQLString, GraphQLID].includes(getNamedType(type) as typeof GraphQLString))
    .filter(({ extensions }) => extensions.bounds === undefined && extensions.maxLength === undefined)
    .map(({ name }) => toCoordinate(name));
}

SchemaBuilder.registerPlugin('bounds', BoundsPlugin);
