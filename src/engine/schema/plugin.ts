import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type FieldRequiredness,
  type InputFieldMap,
  type InputType,
  type PothosEnumValueConfig,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import {
  DirectiveLocation,
  GraphQLDeprecatedDirective,
  GraphQLDirective,
  type GraphQLFieldResolver,
  GraphQLID,
  GraphQLSchema,
  GraphQLString,
  type GraphQLType,
  getNamedType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { READ, scopeDirective } from '../auth/scope.ts';
import type { ListTables } from '../db/paging.ts';
import { tooSlow } from '../db/violations.ts';
import { membersOf } from '../lifecycle/annotated.ts';
import type { Declared } from '../lifecycle/annotation.ts';
import { annotate, lifecycleDirectives } from '../lifecycle/directives.ts';
import { assertLifecycle } from '../lifecycle/rules.ts';
import type { Bounds, TextBounds } from './bounds.ts';
import { connectionOf } from './connection-type.ts';
import type { Context } from './context.ts';
import { dateScalar } from './scalars.ts';

// The options that the plugin adds to fields, arguments and enum values.
declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      engine: BasePlugin<Types>;
    }
    // Merging needs the same type parameters as the original interfaces.
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** How far the field can be relied on: `beta()`, `experimental()`, `deprecated({...})`, or a list of two. */
      lifecycle?: Declared;
      /** Such as `books:write`. Required for each mutation; `read` by default for queries and subscriptions. */
      scope?: string;
      /** The bounds of the text that it returns: those of the input that the text comes from. */
      bounds?: TextBounds;
      /** The tables that it reads as a whole, such as to count their rows: it costs as a total of them does. */
      counts?: ListTables;
    }
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      lifecycle?: Declared;
      bounds?: Bounds;
      /** Whether an optional field of an input object accepts null, to remove its value. */
      nullRemoves?: boolean;
    }
    export interface EnumValueConfig<Types extends SchemaTypes> {
      lifecycle?: Declared | undefined;
    }
  }
}

/** Puts these options into their descriptions, extensions and directives. */
class EnginePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(field: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const { bounds, nullRemoves = false, lifecycle } = field.pothosOptions;
    const bounded = {
      ...field,
      ...(bounds?.accepts !== undefined &&
        field.description && { description: `${field.description} Accepts ${bounds.accepts}.` }),
      extensions: { ...field.extensions, bounds, rejectsNull: field.kind === 'InputObject' && !nullRemoves },
    };
    return annotate(bounded, lifecycle);
  }

  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { bounds, counts, lifecycle } = field.pothosOptions;
    const scope = scopeFor(field);
    const extensions = {
      ...field.extensions,
      ...(bounds !== undefined && { maxLength: bounds.maxLength }),
      ...(counts !== undefined && { counts }),
      ...(scope !== undefined && { scope, directives: { requiresScope: { scope } } }),
    };
    return annotate({ ...field, extensions }, lifecycle);
  }

  /** Starts no further change of an operation with several changes once its request has been given up. */
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context']>,
    { kind }: PothosOutputFieldConfig<Types>,
  ): typeof resolve {
    if (kind !== 'Mutation') return resolve;
    return (parent, args, context, info) => {
      if ((context as Context).signal?.aborted) throw tooSlow();
      return resolve(parent, args, context, info);
    };
  }

  override onEnumValueConfig(value: PothosEnumValueConfig<Types>): PothosEnumValueConfig<Types> {
    return annotate(value, value.pothosOptions.lifecycle);
  }

  /** Validates the annotations here, because only the whole schema shows whether successors exist. */
  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    assertBounded(schema);
    assertLifecycle(schema);
    const config = schema.toConfig();
    const date = schema.getType(dateScalar.name);
    const ofLifecycle = lifecycleDirectives(isScalarType(date) ? date : dateScalar);
    const ofGraphQL = config.directives.map((one) => (one === GraphQLDeprecatedDirective ? deprecatedDirective : one));
    return new GraphQLSchema({ ...config, directives: [...ofGraphQL, scopeDirective, ...ofLifecycle] });
  }
}

/** graphql-js adds a location that no version of GraphQL has yet: clients that know all of them reject the schema. */
const deprecatedDirective = new GraphQLDirective({
  ...GraphQLDeprecatedDirective.toConfig(),
  locations: GraphQLDeprecatedDirective.locations.filter((one) => one !== DirectiveLocation.DIRECTIVE_DEFINITION),
});

/** @throws {Error} for a mutation without a scope, and for a scope on a field that is not a root field */
function scopeFor<Types extends SchemaTypes>(field: PothosOutputFieldConfig<Types>): string | undefined {
  const { kind, name, parentType, pothosOptions } = field;
  const isRead = kind === 'Query' || kind === 'Subscription';
  const { scope = isRead ? READ : undefined } = pothosOptions;
  if (kind === 'Mutation' && scope === undefined) throw new Error(`${parentType}.${name} needs a scope.`);
  if (isRead || kind === 'Mutation' || scope === undefined) return scope;
  throw new Error(`${parentType}.${name} is not a root field, so it cannot have a scope.`);
}

/**
 * Throws for text without bounds. In input it could have any length, and characters that cannot be stored, such as NUL;
 * in the rows of a list it would not count towards the size of the response.
 */
function assertBounded(schema: GraphQLSchema): void {
  const connections = Object.values(schema.getTypeMap()).filter(isObjectType).filter(connectionOf);
  const rows = new Set(connections.map((connection) => String(getNamedType(connection.getFields().nodes?.type))));
  const unbounded = membersOf(schema).filter(({ coordinate, element }) => {
    const isSized = !('args' in element) || rows.has(coordinate.slice(0, coordinate.indexOf('.')));
    const { bounds, maxLength } = element.extensions;
    return isSized && 'type' in element && isText(element.type) && bounds === undefined && maxLength === undefined;
  });
  if (unbounded.length === 0) return;
  const coordinates = unbounded.map(({ coordinate }) => coordinate).join(', ');
  throw new Error(`Text needs bounds, such as text({ min: 1, max: 200 }): ${coordinates}.`);
}

function isText(type: GraphQLType): boolean {
  const named = getNamedType(type);
  return named === GraphQLString || named === GraphQLID;
}

SchemaBuilder.registerPlugin('engine', EnginePlugin);
