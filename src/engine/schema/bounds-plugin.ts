import SchemaBuilder, {
  BasePlugin,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import { GraphQLID, type GraphQLSchema, GraphQLString, type GraphQLType, getNamedType, isObjectType } from 'graphql';
import { membersOf } from '../lifecycle/annotated.ts';
import { searchesOf } from './connection-type.ts';

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
  const connections = Object.values(schema.getTypeMap()).filter(isObjectType).filter(searchesOf);
  const rows = new Set(connections.map((connection) => String(getNamedType(connection.getFields().nodes?.type))));
  const unbounded = membersOf(schema).filter(({ kind, coordinate, element }) => {
    const isSized = kind !== 'field' || rows.has(coordinate.slice(0, coordinate.indexOf('.')));
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

SchemaBuilder.registerPlugin('bounds', BoundsPlugin);
