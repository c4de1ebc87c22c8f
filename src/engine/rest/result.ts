import {
  type GraphQLLeafType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { SelectedField } from '../operation/selection.ts';
import { hasRestNames, isList, restNameOf } from './parameters.ts';
import type { ResolvedOperation, Variable } from './variables.ts';

type Converter = (value: unknown) => unknown;

/** @throws {Error} for an interface or a union: OpenAPI could not describe the fields of its rows */
export function rootType({ selected: { field }, operationId }: ResolvedOperation): GraphQLObjectType | GraphQLLeafType {
  const type = getNamedType(field.type);
  if (isObjectType(type) || isLeafType(type)) return type;
  throw new Error(`${operationId}: ${field.name} returns ${type.name}, an interface or a union; REST needs an object.`);
}

/** @throws {Error} for an alias, a directive or null in a list: every response has each field under its own name */
export function assertPlain({ selection, operationId }: ResolvedOperation): void {
  for (const { node, field, conditions } of selection.fields) {
    if (node.alias !== undefined)
      throw new Error(`${operationId}: ${field.name} has an alias; REST returns each field under its own name.`);
    for (let list = getNullableType(field.type); isListType(list); list = getNullableType(list.ofType)) {
      if (!isNonNullType(list.ofType))
        throw new Error(
          `${operationId}: ${field.name} is a list whose items may be null, and REST has no null: make them non-null.`,
        );
      if (isListType(list.ofType.ofType) && !isScalarType(getNamedType(list)))
        throw new Error(`${operationId}: ${field.name} is a list of lists; REST has those of scalars only.`);
    }
    if (conditions.length > 0)
      throw new Error(`${operationId}: ${field.name} has a directive; REST always returns the field.`);
  }
}

/** @throws {Error} if the root field does not have the fields of the reply, or is not a list as the reply is */
export function assertReply({ route, operationId, selected, queryVariables }: ResolvedOperation): void {
  const { kind, selects = [] } = route.reply;
  const { field } = selected;
  const failIf = (isWrong: boolean, why: string) => {
    if (isWrong) throw new Error(`${operationId}: ${field.name} ${why}.`);
  };
  const isRows = isList(field) && !isLeafType(getNamedType(field.type));
  const isWhole = kind === 'list' && selects.length === 0;
  failIf(isRows && (kind === 'item' || selects.length > 0), 'is a list of rows: reply with rows()');
  failIf(isWhole && !isList(field), 'is not a list: reply with ok(), or with page() if it is a connection');
  failIf(kind === 'list' && !isNonNullType(field.type), 'may be null, and a list on REST may not: make it non-null');
  for (const path of selects) {
    failIf(!isSelected(selected, path.split('.')), `must be selected with ${path}, which the reply needs`);
    const own = selected.within.find(({ field: { name } }) => name === path);
    failIf(own !== undefined && !isNonNullType(own.field.type), `has a field ${path} that may be null`);
  }
  const isAfter = ({ name, argument }: Variable) => name === 'after' && argument.name === name;
  const isPaged = selects.includes('pageInfo.endCursor');
  failIf(isPaged && !queryVariables.some(isAfter), 'needs $after for its argument after, as the next page has it');
}

/** @throws {Error} for a field of a row that its version says nothing about: one whose resolver takes the context */
export function assertOwn({ selected, operationId }: ResolvedOperation): void {
  const other = selected.within.find(({ field: { resolve } }) => resolve !== undefined && resolve.length > 2);
  if (other !== undefined)
    throw new Error(
      `${operationId}: ${other.field.name} reads more than its row, so that its ETag would stay the same when it changes; select it in a route without the version.`,
    );
}

export function selectsField({ selected }: ResolvedOperation, name: string): boolean {
  return isSelected(selected, [name]);
}

function isSelected({ within }: SelectedField, [name, ...path]: readonly string[]): boolean {
  return name === undefined || within.some((one) => one.field.name === name && isSelected(one, path));
}

/**
 * Makes the function that turns a GraphQL result into that of REST, where a null field is absent, and an enum value may
 * have another name. It visits only such fields of rows, not those of pages.
 */
export function rowConverter({ selected }: ResolvedOperation): Converter {
  return fieldConverter(selected) ?? ((value) => value);
}

function fieldConverter({ field, within }: SelectedField): Converter | undefined {
  const type = getNamedType(field.type);
  const convert = isLeafType(type) ? enumConverter(type) : objectConverter(within);
  if (convert === undefined || !isList(field)) return convert;
  return (items) => items && (items as unknown[]).map(convert);
}

function objectConverter(fields: readonly SelectedField[]): Converter | undefined {
  const nullable = fields.filter(({ field, fragment }) => fragment !== undefined && !isNonNullType(field.type));
  const changed = fields.flatMap((one) => {
    const convert = fieldConverter(one);
    return convert === undefined ? [] : [{ name: one.field.name, convert }];
  });
  if (nullable.length === 0 && changed.length === 0) return undefined;
  const names = nullable.map(({ field }) => field.name);
  return (value) => {
    if (value === null) return null;
    const row = value as Record<string, unknown>;
    // Undefined, which JSON omits, instead of a delete, which would give each such row its own hidden class.
    for (const name of names) if (row[name] === null) row[name] = undefined;
    for (const { name, convert } of changed) if (row[name] != null) row[name] = convert(row[name]);
    return row;
  };
}

/** Undefined for other types, and for an enum whose values have the same names on REST. */
function enumConverter(type: GraphQLNamedType): Converter | undefined {
  if (!isEnumType(type) || !hasRestNames(type)) return undefined;
  const names = new Map<unknown, string>(type.getValues().map((value) => [value.name, restNameOf(value)]));
  return (name) => names.get(name) ?? name;
}
