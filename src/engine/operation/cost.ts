import {
  type FieldNode,
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

/** How many tokens a document may have. */
export const MAX_TOKENS = 5_000;
/** How many lines: for each error that is told they are counted. */
const MAX_LINES = 5_000;
/** How many rows of lists an operation may ask for: the sizes of lists within lists multiply. */
const MAX_ROWS = 20_000;
/**
 * How many values it may ask for: each field of each row is one, or several where its text may be long; and each item of a list
 * that a field is given is one.
 */
const MAX_VALUES = 100_000;
/** How long its answer may be, in bytes. */
export const MAX_ANSWER_BYTES = 8_388_608;
/** How many items a list is taken to have that neither is asked for a number of them nor says how many it has: those of introspection. */
const ITEMS_OF_LIST = 10;
type Variables = Readonly<Record<string, unknown>>;
/** What is known, or is by the variables. */
type Known<T> = T | ((variables: Variables) => T);

/** @throws {ServiceError} INVALID_ARGUMENT when a document has too many lines */
export function assertLines(text: string): void {
  let lines = 1;
  for (const _ of text.matchAll(/\r\n|[\n\r]/g)) {
    if (++lines > MAX_LINES) throw tooMuch(`The document has more than ${MAX_LINES} lines.`);
  }
}

/**
 * Measures what an operation asks for, once for its document.
 *
 * @returns takes the variables; throws INVALID_ARGUMENT when the rows or their values are too many
 */
export function measure({ roots, defaults }: Selection): (variables: Variables) => Cost {
  const amount = amountOf(roots, true);
  // As own properties, whatever they are called: `__proto__` is a name like any other.
  const given = Object.fromEntries(defaults);
  return (variables) => {
    const cost = typeof amount === 'function' ? amount({ ...given, ...variables }) : amount;
    assertAtMost(MAX_ROWS, cost.rows, 'rows at once');
    assertAtMost(MAX_VALUES, cost.values + cost.items, 'values at once');
    assertAtMost(MAX_ANSWER_BYTES, cost.bytes, 'bytes, by the greatest lengths of its fields');
    return cost;
  };

  function amountOf(fields: readonly SelectedField[], isRoot: boolean): Known<Cost> {
    return combine(
      fields.map((field) => amountOfField(field, isRoot)),
      (amounts) => amounts.reduce(add, NOTHING),
    );
  }

  function amountOfField({ node, parent, field, within }: SelectedField, isRoot: boolean): Known<Cost> {
    const named = getNamedType(field.type);
    const type = isObjectType(named) ? named : undefined;
    const given = combine([itemsGiven(node, field), searchOf(type, node)], (amounts) => amounts.reduce(add, NOTHING));
    const isStatement = !isRoot && (isConnection(type) || field.extensions.reference !== undefined);
    const own = { ...NOTHING, values: valuesOf(field), statements: Number(isStatement), bytes: bytesOf(node, field) };
    const size: Known<number> = isConnection(type) ? pageSize(node) : itemsOf(parent, field);
    const rows = combine([size], ([count = 1]) => onlyRows(count));
    const each = amountOf(within, false);
    return combine([rows, each, given], ([{ rows: count } = NOTHING, asked = NOTHING, items = NOTHING]) => {
      const all = add(add(own, items), times(count, asked));
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
  // Written out, for it is made for each request: a spread object has a hidden class of its own on Node 20.
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

/** How many items a field has at most that answers with a list, and is no list of a connection. */
function itemsOf(parent: GraphQLObjectType | undefined, field: GraphQLField<unknown, unknown>): number {
  if (!isListType(getNullableType(field.type)) || isConnection(parent)) return 1;
  return Number(field.extensions.items ?? ITEMS_OF_LIST);
}

function isConnection(type: GraphQLObjectType | undefined): boolean {
  return searchesOf(type) !== undefined;
}

function assertAtMost(most: number, asked: number, what: string): void {
  if (asked <= most) return;
  throw tooMuch(`The operation asks for up to ${asked} ${what}; ${most} is the most. Request less.`);
}

/** Whichever of `first` and `last` is the larger: only one may stand in the end, but null counts for none. */
function pageSize({ arguments: given = [] }: FieldNode): Known<number> {
  const sizes = given
    .filter(({ name }) => name.value === 'first' || name.value === 'last')
    .map(({ value }): Known<number> => {
      if (value.kind !== Kind.VARIABLE) return Number(value.kind === Kind.INT && value.value);
      const name = value.name.value;
      // Whatever else it is will be rejected, and may not even be made a number of.
      return ({ [name]: given }) => (Number.isInteger(given) ? (given as number) : 0);
    });
  return combine(sizes, (amounts) => {
    const asked = amounts.filter((size) => size > 0);
    return asked.length === 0 ? DEFAULT_PAGE_SIZE : Math.max(...asked);
  });
}

/** The items of the lists among its arguments: each time that it is asked for they are looked at. */
function itemsGiven({ arguments: given = [] }: FieldNode, field: GraphQLField<unknown, unknown>): Known<Cost> {
  const items = given.map(({ name: { value: argument }, value }): Known<Cost> => {
    if (value.kind === Kind.LIST) return { ...NOTHING, items: value.values.length };
    const type = field.args.find(({ name }) => name === argument)?.type;
    if (value.kind !== Kind.VARIABLE || !isListType(getNullableType(type))) return NOTHING;
    const name = value.name.value;
    return ({ [name]: list }) => (Array.isArray(list) ? { ...NOTHING, items: list.length } : NOTHING);
  });
  return combine(items, (amounts) => amounts.reduce(add, NOTHING));
}

/** Whether it is a list whose page no index has. */
function searchOf(type: GraphQLObjectType | undefined, { arguments: given = [] }: FieldNode): Known<Cost> {
  const searchedList = searchesOf(type);
  if (searchedList === undefined || given.length === 0) return NOTHING;
  const search = (variables: Variables) => {
    const values = given.map(({ name, value }) => [name.value, givenBy(value, variables)]);
    const list = searchedList(Object.fromEntries(values));
    return list === undefined ? NOTHING : { ...NOTHING, searches: [list] };
  };
  return given.some(({ value }) => value.kind === Kind.VARIABLE) ? search : search({});
}

/** As far as it matters here: of lists and objects nothing but that they are there. */
function givenBy(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.VARIABLE) return variables[value.name.value];
  if (value.kind === Kind.NULL) return null;
  return 'value' in value ? value.value : true;
}

/** What is made of several: known at once where all of them are. */
function combine<T extends number | Cost, R>(parts: readonly Known<T>[], make: (known: readonly T[]) => R): Known<R> {
  const resolve = (variables: Variables) =>
    make(parts.map((part) => (typeof part === 'function' ? part(variables) : part)));
  return parts.some((part) => typeof part === 'function') ? resolve : resolve({});
}

function tooMuch(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', message);
}
