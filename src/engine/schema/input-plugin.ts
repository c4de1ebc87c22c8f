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
    // The parameters have to be those of the interface that this adds to.
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      /** What the value must be beyond its type. */
      bounds?: Bounds;
      /** Whether null may be said for an optional field of an input object, to remove its value. */
      nullRemoves?: boolean;
    }
  }
}

/** Carries the bounds of input fields and arguments into descriptions and extensions. */
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
 * Stops the build where text comes in without bounds: it could be of any length, and have what no database stores, such as NUL.
 *
 * @throws {Error} that names every argument and input field without bounds
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
