import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type ValueNode,
} from 'graphql';
import { DEFAULT_PAGE_SIZE } from '../db/paging.ts';
import { ServiceError } from '../errors.ts';
import type { Cost } from '../limits/units.ts';
import { searchesOf } from '../schema/connection-type.ts';
import { bytesOf, valuesOf } from './answer-size.ts';
import type { SelectedField, Selection } from './selection.ts';

/** The maximum number of tokens of a document. */
export const MAX_TOKENS = 5_000;
/** The maximum number of lines of a document: each reported error counts them. */
const MAX_LINES = 5_000;
/** The maximum number of rows that an operation may request: the sizes of nested lists multiply. */
const MAX_ROWS = 20_000;
/**
 * The maximum number of values that an operation may request. Each field of each row is one value, or several if its
 * text may be long; and each item of a list argument is one.
 */
const MAX_VALUES = 100_000;
/** The maximum size of a response, in bytes. */
export const MAX_ANSWER_BYTES = 8_388_608;
/** The assumed length of a list without a page size or a declared length, such as those of introspection. */
const ITEMS_OF_LIST = 10;
type Variables = Readonly<Record<string, unknown>>;
/** A value, or a function of the variables that returns it. */
type Dynamic<T> = T | ((variables: Variables) => T);

/** @throws {ServiceError} INVALID_ARGUMENT if a document has too many lines */
export function assertLines(text: string): void {
  let lines = 1;
  for (const _ of text.matchAll(/\r\n|[\n\r]/g)) {
    if (++lines > MAX_LINES) throw tooMuch(`The document has more than ${MAX_LINES} lines.`);
  }
}

/**
 * Prepares the cost calculation of an operation, once for its document.
 *
 * @returns the cost for some variables; throws INVALID_ARGUMENT if it asks for too many rows, values or bytes
 */
export function measure({ roots, defaults }: Selection): (variables: Variables) => Cost {
  // Calculated once for each field of the document: it may occur often, because fragments are expanded.
  const known = new Map<FieldNode, Dynamic<Cost>>();
  const amount = amountOf(roots, true);
  // Object.fromEntries defines own properties, also for a variable with the name `__proto__`.
  const given = Object.fromEntries(defaults);
  return (variables) => {
    const cost = typeof amount === 'function' ? amount({ ...given, ...variables }) : amount;
    assertAtMost(MAX_ROWS, cost.rows, 'rows at once');
    assertAtMost(MAX_VALUES, cost.values + cost.items, 'values at once');
    assertAtMost(MAX_ANSWER_BYTES, cost.bytes, 'bytes, by the maximum lengths of its fields');
    return cost;
  };

  function amountOf(fields: readonly SelectedField[], isRoot: boolean): Dynamic<Cost> {
    return combine(
      fields.map((field) => {
        const amount = known.get(field.node) ?? amountOfField(field, isRoot);
        known.set(field.node, amount);
        return amount;
      }),
      (amounts) => amounts.reduce(add, NOTHING),
    );
  }

  function amountOfField({ node, parent, field, within }: SelectedField, isRoot: boolean): Dynamic<Cost> {
    const named = getNamedType(field.type);
    const type = isObjectType(named) ? named : undefined;
    const given = combine([itemsGiven(node, field), searchOf(type, node)], (amounts) => amounts.reduce(add, NOTHING));
    const isStatement = !isRoot && (isConnection(type) || field.extensions.reference !== undefined);
    const own = { ...NOTHING, values: valuesOf(field), statements: Number(isStatement), bytes: bytesOf(node, field) };
    const size: Dynamic<number> = isConnection(type) ? pageSize(node) : itemsOf(parent, field);
    const rows = combine([size], ([count = 1]) => onlyRows(count));
    const each = amountOf(within, false);
    return combine([rows, each, given], ([{ rows: count } = NOTHING, inner = NOTHING, items = NOTHING]) => {
      const all = add(add(own, items), times(count, inner));
      return isConnection(type) ? add(all, onlyRows(count)) : all;
    });
  }
}

const NOTHING: Cost = { rows: 0, values: 0, items: 0, searches: [], statements: 0, bytes: 0 };

function add(one: Cost, other: Cost): Cost {
  return {
    rows: one.rows + other.rows,
    values: one.values + other.values,
    items: one.items + other.items,
    searches: other.searches.length === 0 ? one.searches : [...one.searches, ...other.searches],
    statements: one.statements + other.statements,
    bytes: one.bytes + other.bytes,
  };
}

function times(count: number, { rows, values, items, searches, statements, bytes }: Cost): Cost {
  // Not a spread, because this runs for each request: on Node 20 each spread object gets a hidden class of its own.
  return {
    rows: count * rows,
    values: count * values,
    items: count * items,
    searches,
    statements,
    bytes: count * bytes,
  };
}

function onlyRows(rows: number): Cost {
  return { rows, values: 0, items: 0, searches: [], statements: 0, bytes: 0 };
}

/**
 * The maximum number of items of a field: 1 if it is no list, or a list of a connection, which the page size counts.
 */
function itemsOf(parent: GraphQLCompositeType, field: GraphQLField<unknown, unknown>): number {
  if (!isListType(getNullableType(field.type)) || isConnection(parent)) return 1;
  return Number(field.extensions.items ?? ITEMS_OF_LIST);
}

function isConnection(type: GraphQLCompositeType | undefined): boolean {
  return isObjectType(type) && searchesOf(type) !== undefined;
}

function assertAtMost(max: number, requested: number, what: string): void {
  if (requested <= max) return;
  throw tooMuch(`The operation asks for up to ${requested} ${what}; the maximum is ${max}. Request less.`);
}

/** The larger of `first` and `last`: validation accepts only one, but the other may be null. */
function pageSize({ arguments: given = [] }: FieldNode): Dynamic<number> {
  const sizes = given
    .filter(({ name }) => name.value === 'first' || name.value === 'last')
    .map(({ value }): Dynamic<number> => {
      if (value.kind !== Kind.VARIABLE) return Number(value.kind === Kind.INT && value.value);
      const name = value.name.value;
      // Anything else is rejected later, and may not even convert to a number.
      return ({ [name]: given }) => (Number.isInteger(given) ? (given as number) : 0);
    });
  return combine(sizes, (amounts) => {
    const requested = amounts.filter((size) => size > 0);
    return requested.length === 0 ? DEFAULT_PAGE_SIZE : Math.max(...requested);
  });
}

/** The items of the lists among its arguments: they are processed for each row that has the field. */
function itemsGiven({ arguments: given = [] }: FieldNode, field: GraphQLField<unknown, unknown>): Dynamic<Cost> {
  const items = given.map(({ name: { value: argument }, value }): Dynamic<Cost> => {
    if (value.kind === Kind.LIST) return { ...NOTHING, items: value.values.length };
    const type = field.args.find(({ name }) => name === argument)?.type;
    if (value.kind !== Kind.VARIABLE || !isListType(getNullableType(type))) return NOTHING;
    const name = value.name.value;
    return ({ [name]: list }) => (Array.isArray(list) ? { ...NOTHING, items: list.length } : NOTHING);
  });
  return combine(items, (amounts) => amounts.reduce(add, NOTHING));
}

/** The search that a list needs with these arguments: a page that no index can find. */
function searchOf(type: GraphQLObjectType | undefined, { arguments: given = [] }: FieldNode): Dynamic<Cost> {
  const searchedList = searchesOf(type);
  if (searchedList === undefined || given.length === 0) return NOTHING;
  const search = (variables: Variables) => {
    const values = given.map(({ name, value }) => [name.value, givenBy(value, variables)]);
    const list = searchedList(Object.fromEntries(values));
    return list === undefined ? NOTHING : { ...NOTHING, searches: [list] };
  };
  return given.some(({ value }) => value.kind === Kind.VARIABLE) ? search : search({});
}

/**
 * The value of an argument; lists and objects are only `true`, because their content does not matter here. Those of a
 * variable may be rejected later, and may not even convert to a string.
 */
function givenBy(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.VARIABLE) {
    const given = variables[value.name.value];
    return typeof given === 'object' && given !== null ? true : given;
  }
  if (value.kind === Kind.NULL) return null;
  return 'value' in value ? value.value : true;
}

/** Combines values, at once if none of them depends on the variables. */
function combine<T extends number | Cost, R>(
  parts: readonly Dynamic<T>[],
  make: (values: readonly T[]) => R,
): Dynamic<R> {
  const resolve = (variables: Variables) =>
    make(parts.map((part) => (typeof part === 'function' ? part(variables) : part)));
  return parts.some((part) => typeof part === 'function') ? resolve : resolve({});
}

function tooMuch(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', message);
}
