import { type GraphQLSchema, getNamedType, isEnumType } from 'graphql';
import { fromRestName } from '../engine/rest/parameters.ts';
import type { OpenApiElement } from './openapi-elements.ts';

/**
 * The name in GraphQL of an element of OpenAPI: `GET /pets`, `GET /pets (query sort)`, `GET /pets (query sort) -name`.
 * Where GraphQL has no such element, or the same name for it, the coordinate as it is.
 */
export function graphqlCoordinate(schema: GraphQLSchema, openApi: OpenApiElement, coordinate: string): string {
  const [, operation, parameter, value] = /^(\S+ \S+)(?: \(\w+ (\S+)\)(?:\[\])?(?: (.+))?)?$/.exec(coordinate) ?? [];
  const operationId = String(openApi.children().find((one) => one.coordinate === operation)?.json.operationId);
  const isRead = operation?.startsWith('GET ');
  const root = isRead ? schema.getQueryType() : schema.getMutationType();
  // An operation has the name of its mutation, or that of its query after `get` or `list`.
  const name = isRead ? operationId.replace(/^(get|list)./, (text) => text.slice(-1).toLowerCase()) : operationId;
  const field = root?.getFields()[name];
  if (root == null || field === undefined) return coordinate;
  if (parameter === undefined) return `${root.name}.${name}`;
  const argument = field.args.find((one) => one.name === parameter);
  if (argument === undefined) return coordinate;
  if (value === undefined) return `${root.name}.${name}(${parameter}:)`;
  const type = getNamedType(argument.type);
  const same = isEnumType(type) ? fromRestName(type, value) : undefined;
  return same === undefined ? coordinate : `${type.name}.${same}`;
}
