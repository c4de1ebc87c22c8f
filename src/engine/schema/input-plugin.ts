import SchemaBuilder, {
  BasePlugin,
  type FieldRequiredness,
  type InputType,
  type PothosInputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import {
  type GraphQLArgument,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Bounds } from './bounds.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      input: InputPlugin<Types>;
    }
    // Declaration merging needs the same type parameters as the original interface.
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

/** Adds the bounds of input fields and arguments to their descriptions and extensions. */
class InputPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(field: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const { bounds, nullRemoves = false } = field.pothosOptions;
    return {
      ...field,
      ...(bounds?.accepts !== undefined && { description: `${field.description} Accepts ${bounds.accepts}.` }),
      extensions: { ...field.extensions, bounds, rejectsNull: field.kind === 'InputObject' && !nullRemoves },
    };
  }

  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    assertBounded(schema);
    return schema;
  }
}

/**
 * Rejects text input without bounds: it could have any length, and characters that cannot be stored, such as NUL.
 *
 * @throws {Error} with every argument and input field that lacks bounds
 */
function assertBounded(schema: GraphQLSchema): void {
  const unbounded = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__')) return [];
    if (isInputObjectType(type)) return unboundedOf(Object.values(type.getFields()), (name) => `${type.name}.${name}`);
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      unboundedOf(field.args, (name) => `${type.name}.${field.name}(${name}:)`),
    );
  });
  if (unbounded.length === 0) return;
  throw new Error(`Text needs bounds, such as text({ min: 1, max: 200 }): ${unbounded.join(', ')}.`);
}

function unboundedOf(
  places: readonly (GraphQLArgument | GraphQLInputField)[],
  toCoordinate: (name: string) => string,
): string[] {
  return places
    .filter(({ type }) => [GraphQLString, GraphQLID].includes(getNamedType(type) as typeof GraphQLString))
    .filter(({ extensions }) => extensions.bounds === undefined)
    .map(({ name }) => toCoordinate(name));
}

SchemaBuilder.registerPlugin('input', InputPlugin);
