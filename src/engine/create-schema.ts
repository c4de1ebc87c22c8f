import { GraphQLSchema, isIntrospectionType } from 'graphql';
import { addEvents } from './events/graphql.ts';
import { type EventSource, eventTypesOf } from './events/source.ts';
import { membersOf } from './lifecycle/annotated.ts';
import { createBuilder } from './schema/builder.ts';
import { connections } from './schema/connection.ts';
import { readListsAhead } from './schema/reference.ts';
import { rowFields } from './schema/row-fields.ts';
import { addLifecycle } from './usage/graphql.ts';
import { addWebhooks } from './webhooks/graphql.ts';

declare module 'graphql' {
  interface GraphQLSchemaExtensions {
    events?: readonly EventSource[];
  }
}

/**
 * Creates the tools that build the schema of an application.
 *
 * @example
 * const { builder, connectionTo, pagingArgs, expectedVersion, buildSchema } = createSchema();
 * builder.queryField('hello', (t) => t.string({ description: 'A greeting.', resolve: () => 'Hello' }));
 * const schema = buildSchema();
 */
export function createSchema() {
  const builder = createBuilder();
  const lists = connections(builder);
  const fields = rowFields(builder, lists);
  return {
    builder,
    ...lists,
    ...fields,
    /**
     * Builds the schema. Call it once, after all types and fields are added; it keeps their order.
     *
     * @param events the tables whose changes are events, in the order in which those of one change are published: causes
     *   before effects; without one, the schema has no events and no webhooks
     */
    buildSchema(events: readonly EventSource[] = []): GraphQLSchema {
      if (events.length > 0) {
        const eventType = addEvents(builder, events);
        const types = eventTypesOf(events).map(({ name }) => name);
        addWebhooks(builder, { ...lists, ...fields, eventType, types });
      }
      addLifecycle(builder);
      const schema = withoutEmptyMutation(builder.toSchema({ sortSchema: false }));
      schema.extensions = { ...schema.extensions, events };
      assertDescribed(schema);
      readListsAhead(schema);
      return schema;
    },
  };
}

/** A service that changes nothing has no mutations: GraphQL allows no type without fields. */
function withoutEmptyMutation(schema: GraphQLSchema): GraphQLSchema {
  const { mutation, types, ...config } = schema.toConfig();
  if (mutation == null || Object.keys(mutation.getFields()).length > 0) return schema;
  return new GraphQLSchema({ ...config, types: types.filter((type) => type !== mutation) });
}

/** @throws {Error} with every type, field, argument, input field and enum value that lacks a description */
function assertDescribed(schema: GraphQLSchema): void {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const named = types.map((type) => ({ coordinate: type.name, element: type }));
  const bare = [...named, ...membersOf(schema)].filter(({ element }) => !element.description);
  if (bare.length === 0) return;
  throw new Error(`A description is missing: ${bare.map(({ coordinate }) => coordinate).join(', ')}.`);
}
