import SchemaBuilder, {
  BasePlugin,
  type FieldRequiredness,
  type InputType,
  type PothosInputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { validationFailed } from '../errors.ts';
import type { Bounds } from './bounds.ts';
import { boundsOf, inputIssues } from './input.ts';

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

/** Carries the bounds of input fields and arguments into descriptions and extensions, and holds resolvers to them. */
export class InputPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(field: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const { bounds, nullRemoves = false } = field.pothosOptions;
    return {
      ...field,
      ...(bounds !== undefined && { description: `${field.description} Accepts ${bounds.accepts}.` }),
      extensions: { ...field.extensions, bounds, refusesNull: field.kind === 'InputObject' && !nullRemoves },
    };
  }

  /** Literals in a document never pass through variables, so each resolver checks what it is given. */
  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) checkArguments(field);
    }
    return schema;
  }
}

function checkArguments(field: GraphQLField<unknown, unknown>): void {
  const checked = field.args.filter((arg) => boundsOf(arg) !== undefined || isInputObjectType(getNamedType(arg.type)));
  if (checked.length === 0) return;
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (parent, args, context, info) => {
    const issues = checked.flatMap((arg) => inputIssues(arg, args[arg.name], [arg.name]));
    if (issues.length > 0) throw validationFailed(issues);
    return resolve(parent, args, context, info);
  };
}

SchemaBuilder.registerPlugin('input', InputPlugin);
