import {
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { SelectedField } from '../operation/selection.ts';
import type { ResolvedOperation } from './variables.ts';

type NullDropper = (value: unknown) => unknown;

/**
 * The type that a root field returns.
 *
 * @throws {Error} for an interface or a union: OpenAPI could not describe the fields of its rows
 */
export function rootType({ field, operationId }: ResolvedOperation): GraphQLObjectType | GraphQLLeafType {
  const type = getNamedType(field.type);
  if (isObjectType(type) || isLeafType(type)) return type;
  throw new Error(
    `${operationId}: ${field.name} answers with ${type.name}, an interface or a union; REST needs an object.`,
  );
}

/**
 * Asserts that responses match their description: they have each field under its own name in every response.
 *
 * @throws {Error} for an alias or a directive
 */
export function assertPlain({ selection, operationId }: ResolvedOperation): void {
  for (const { node, field, conditions } of selection.fields) {
    if (node.alias !== undefined)
      throw new Error(`${operationId}: ${field.name} has an alias; REST answers by its own name.`);
    if (conditions.length > 0)
      throw new Error(`${operationId}: ${field.name} has a directive; REST always answers with it.`);
  }
}

/** Whether a field returns a list. */
export function isListOf({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

/** Whether the root field's row is selected with the field. */
export function selectsField({ selected }: ResolvedOperation, name: string): boolean {
  return selected.within.some(({ field }) => field.name === name);
}

/**
 * Creates the function that drops null fields from a GraphQL result, because in REST a field without a value is absent.
 * It visits only the nullable fields of rows, not those of pages.
 */
export function nullDropper({ field, selected }: ResolvedOperation): NullDropper {
  const drop = objectDropper(selected.within);
  if (drop === undefined) return (value) => value;
  return isListOf(field) ? (rows) => (rows as unknown[]).map(drop) : drop;
}

function objectDropper(fields: readonly SelectedField[]): NullDropper | undefined {
  const nullable = fields.filter(({ field, fragment }) => fragment !== undefined && !isNonNullType(field.type));
  const nested = fields.flatMap(({ field, within }) => {
    const drop = objectDropper(within);
    if (drop === undefined) return [];
    return [{ name: field.name, drop: isListOf(field) ? (items: unknown) => (items as unknown[]).map(drop) : drop }];
  });
  if (nullable.length === 0 && nested.length === 0) return undefined;
  const names = nullable.map(({ field }) => field.name);
  return (value) => {
    if (value === null) return null;
    const row = value as Record<string, unknown>;
    // Undefined, which JSON omits, instead of a delete, which would give each such row its own hidden class.
    for (const name of names) if (row[name] === null) row[name] = undefined;
    for (const { name, drop } of nested) row[name] = drop(row[name]);
    return row;
  };
}
