import SchemaBuilder, { BasePlugin, type SchemaTypes } from '@pothos/core';
import { defaultFieldResolver, type GraphQLField, type GraphQLSchema } from 'graphql';
import { tooSlow } from '../db/failures.ts';
import type { Context } from './context.ts';

declare module './context.ts' {
  interface Context {
    /** Whether somebody still waits for the operation; undefined where each statement is asked that. */
    readonly isWanted?: () => boolean;
  }
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      wanted: WantedPlugin<Types>;
    }
  }
}

/** Begins no change for a request that has been given up: of several in one operation, those that are left. */
class WantedPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) beginsIfWanted(field);
    return schema;
  }
}

function beginsIfWanted(field: GraphQLField<unknown, Context>): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (parent, args, context, info) => {
    if (context.isWanted?.() === false) throw tooSlow();
    return resolve(parent, args, context, info);
  };
}

SchemaBuilder.registerPlugin('wanted', WantedPlugin);
