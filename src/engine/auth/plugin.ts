import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { GraphQLSchema } from 'graphql';
import { READ, scopeDirective } from './scope.ts';

/** Adds the scope of each root field to the extensions and directives of the built schema. */
class ScopePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  /** @throws {Error} for a mutation without a scope, and for a scope on a field that is no root field */
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { kind, name, parentType } = field;
    const scope = field.pothosOptions.scope ?? (kind === 'Query' || kind === 'Subscription' ? READ : undefined);
    const isRoot = kind === 'Query' || kind === 'Mutation' || kind === 'Subscription';
    if (isRoot && scope === undefined) throw new Error(`${parentType}.${name} needs a scope.`);
    if (!isRoot && scope !== undefined) throw new Error(`${parentType}.${name} is no root field: it has no scope.`);
    if (scope === undefined) return field;
    const { directives, ...extensions } = (field.extensions ?? {}) as { directives?: object };
    return { ...field, extensions: { ...extensions, scope, directives: { ...directives, requiresScope: { scope } } } };
  }

  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    const config = schema.toConfig();
    return new GraphQLSchema({ ...config, directives: [...config.directives, scopeDirective] });
  }
}

SchemaBuilder.registerPlugin('scope', ScopePlugin);
