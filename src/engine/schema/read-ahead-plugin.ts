import SchemaBuilder, { BasePlugin, type SchemaTypes } from '@pothos/core';
import { defaultFieldResolver, type GraphQLField, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import type { Page } from '../db/paging.ts';
import { searchesOf } from './connection-type.ts';
import type { Context } from './context.ts';
import { ReadAheadPlans, readAhead } from './reference.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      readAhead: ReadAheadPlugin<Types>;
    }
  }
}

/** Makes every list read ahead the selected rows that its rows refer to. */
class ReadAheadPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        const answered = getNamedType(field.type);
        if (isObjectType(answered) && searchesOf(answered) !== undefined) readsAhead(field);
      }
    }
    return schema;
  }
}

function readsAhead(field: GraphQLField<unknown, Context>): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (parent, args, context, info) => {
    const plan = info.rootValue instanceof ReadAheadPlans ? info.rootValue.of(info.fieldNodes) : [];
    const answer = resolve(parent, args, context, info) as Promise<Page<object>>;
    if (plan.length === 0) return answer;
    return answer.then(async (page) => {
      await readAhead(plan, page.rows, context);
      return page;
    });
  };
}

SchemaBuilder.registerPlugin('readAhead', ReadAheadPlugin);
