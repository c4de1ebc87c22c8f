import { getNamedType, getNullableType, isListType, isObjectType, Kind, type ValueNode } from 'graphql';
import type { Cost } from '../limits/units.ts';
import { connectionOf } from '../schema/connection-type.ts';
import { type Condition, isAlwaysIncluded, isIncluded } from './conditions.ts';
import type { Variables } from './prepared.ts';
import { bytesOf, valuesOf } from './response-size.ts';
import { alternativesBy, limitExceeded, type SelectedField, type Selection } from './selection.ts';

export const MAX_TOKENS = 5_000;
/** The maximum number of lines of a document: each reported error counts them. */
const MAX_LINES = 5_000;
/** The maximum number of rows that an operation may request: the sizes of nested lists multiply. */
const MAX_ROWS = 20_000;
/** Each field of each row is one value, or several if its text may be long; and so is each item of a list argument. */
const MAX_VALUES = 100_000;
/** Of a response. */
export const MAX_RESPONSE_BYTES = 8_388_608;
/** The maximum number of lists with `totalCount`. */
const MAX_COUNTS = 10;
/** The assumed length of a list without a page size or a declared length, such as those of introspection. */
const ITEMS_OF_LIST = 10;

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The maximum length of its list, which is no page of a connection. */
    items?: number;
  }
}

/** A value, or a function of the variables that returns it. */
type Dynamic<T extends object> = T | ((variables: Variables) => T);

const NONE: readonly Condition[] = [];

interface ListRequest {
  /** The maximum number of rows of its list, or 1. */
  readonly count: number;
  readonly items: number;
  readonly scans: Cost['scans'];
}

/** @throws {ServiceError} INVALID_ARGUMENT if a document has too many lines */
export function assertLines(text: string): void {
  const lines = text.split(/\r\n|[\n\r]/, MAX_LINES + 1).length;
  if (lines > MAX_LINES) throw limitExceeded(`The document has more than ${MAX_LINES} lines.`);
}

/** Makes the function that gives the cost of some runs at once; it throws INVALID_ARGUMENT if one of them is too large. */
export function measure({ roots, defaults }: Selection): (variables: Variables, runs?: number) => Cost {
  // Calculated once for fields of the document that are merged: they may occur often, because fragments are expanded.
  const known = new Map<string, Dynamic<Cost>>();
  const ids = new Map<object, number>();
  const amount = costOf(roots, undefined);
  // The function below stays in the cache, and would keep them.
  known.clear();
  ids.clear();
  // Object.fromEntries defines own properties, also for a variable with the name `__proto__`.
  const given = Object.fromEntries(defaults);
  return (variables, runs = 1) => {
    const cost = typeof amount === 'function' ? amount({ ...given, ...variables }) : amount;
    assertAtMost(MAX_ROWS, cost.rows, 'rows at once');
    assertAtMost(MAX_VALUES, cost.values + cost.items, 'values at once');
    assertAtMost(MAX_RESPONSE_BYTES, cost.bytes, 'bytes, by the maximum lengths of its fields');
    const counts = cost.counts.length;
    if (counts > MAX_COUNTS)
      throw limitExceeded(`The operation has ${counts} lists with totalCount; the maximum is ${MAX_COUNTS}.`);
    return runs === 1 ? cost : add(NOTHING, cost, runs);
  };

  /** @param holding conditions that hold where the fields are; undefined at the root */
  function costOf(fields: readonly SelectedField[], holding: readonly Condition[] | undefined): Dynamic<Cost> {
    const types = new Set(fields.map(({ parent }) => parent).filter(isObjectType));
    if (types.size < 2) return sumOf(fields, holding);
    const ofAny = fields.filter(({ parent }) => !isObjectType(parent));
    const ofEach = [...types].map((type) => fields.filter(({ parent }) => parent === type));
    return alternativesOf(
      sumOf(ofAny, holding),
      ofEach.map((own) => sumOf(own, holding)),
    );
  }

  function sumOf(fields: readonly SelectedField[], holding: readonly Condition[] | undefined): Dynamic<Cost> {
    let fixed = NOTHING;
    const dynamic: ((variables: Variables) => Cost)[] = [];
    for (const merged of mergedIn(fields).values()) {
      const key = [holding && idOf(holding), ...merged.keys()].join();
      const amount = known.get(key) ?? costOfField([...merged.values()], holding);
      known.set(key, amount);
      if (typeof amount === 'function') dynamic.push(amount);
      else fixed = add(fixed, amount);
    }
    for (const [list, { alternatives }] of alternativesBy(fields, ({ field }) => field.extensions.counts)) {
      const count: Cost = { ...NOTHING, counts: [list] };
      if (isAlwaysIncluded(alternatives)) fixed = add(fixed, count);
      else dynamic.push((variables) => (isIncluded(alternatives, variables) ? count : NOTHING));
    }
    if (dynamic.length === 0) return fixed;
    return (variables) => dynamic.reduce((sum, amount) => add(sum, amount(variables)), fixed);
  }

  /** The fields executed once (GraphQL, section 6.3.2). Of different types, both may be, for different rows. */
  function mergedIn(fields: readonly SelectedField[]): ReadonlyMap<string, ReadonlyMap<string, SelectedField>> {
    const all = new Map<string, Map<string, SelectedField>>();
    for (const field of fields) {
      const { node, parent, conditions } = field;
      const key = `${parent.name} ${(node.alias ?? node.name).value}`;
      const merged = all.get(key) ?? new Map<string, SelectedField>();
      // The same field of a fragment under the same conditions has the same fields within.
      all.set(key, merged.set(`${idOf(node)} ${idOf(conditions)}`, field));
    }
    return all;
  }

  function idOf(part: object): number {
    const id = ids.get(part) ?? ids.size;
    ids.set(part, id);
    return id;
  }

  function costOfField(merged: readonly SelectedField[], holding: readonly Condition[] | undefined): Dynamic<Cost> {
    const [selected] = merged as [SelectedField];
    const { node, field } = selected;
    const isList = connectionOf(getNamedType(field.type)) !== undefined;
    const isStatement = holding !== undefined && (isList || field.extensions.reference !== undefined);
    const own = { values: valuesOf(field), statements: Number(isStatement), bytes: bytesOf(node, field) };
    const listRequest = listRequestOf(selected);
    const alternatives = merged.map(({ conditions }) => conditions);
    const each = costOf(
      merged.flatMap(({ within }) => within),
      alternatives.length === 1 ? selected.conditions : NONE,
    );
    // Of nested conditions, each is evaluated once, and not again for all that is within it.
    const isAlways = isAlwaysIncluded(alternatives) || alternatives.some((conditions) => conditions === holding);
    if (isAlways && typeof listRequest !== 'function' && typeof each !== 'function') return total(listRequest, each);
    return (variables) =>
      isAlways || isIncluded(alternatives, variables)
        ? total(resolved(listRequest, variables), resolved(each, variables))
        : NOTHING;

    function total({ count, items, scans }: ListRequest, row: Cost): Cost {
      const { values, statements, bytes } = own;
      const rows = isList ? count : 0;
      return add({ rows, values, items, scans, counts: NOTHING.counts, statements, bytes }, row, count);
    }
  }
}

export function maxRuns({ rows, values, items, bytes }: Cost): number {
  return Math.floor(Math.min(MAX_ROWS / rows, MAX_VALUES / (values + items), MAX_RESPONSE_BYTES / bytes));
}

/** The cost of a row that has one of several types. Its function stays in memory, and must not keep the fields. */
function alternativesOf(ofAny: Dynamic<Cost>, ofEach: readonly Dynamic<Cost>[]): Dynamic<Cost> {
  const total = (variables: Variables) =>
    add(resolved(ofAny, variables), ofEach.map((amount) => resolved(amount, variables)).reduce(either));
  return [ofAny, ...ofEach].some((amount) => typeof amount === 'function') ? total : total({});
}

function resolved<T extends object>(value: Dynamic<T>, variables: Variables): T {
  return typeof value === 'function' ? value(variables) : value;
}

const NOTHING: Cost = { rows: 0, values: 0, items: 0, scans: [], counts: [], statements: 0, bytes: 0 };

/** The cost with that of something done several times at once, whose lists one statement reads together. */
function add(one: Cost, other: Cost, times = 1): Cost {
  return {
    rows: one.rows + other.rows * times,
    values: one.values + other.values * times,
    items: one.items + other.items * times,
    scans: other.scans.length === 0 ? one.scans : [...one.scans, ...other.scans],
    counts: other.counts.length === 0 ? one.counts : [...one.counts, ...other.counts],
    statements: one.statements + other.statements,
    bytes: one.bytes + other.bytes * times,
  };
}

/** The cost of a row that has one of two types: its response has the fields of one of them. */
function either(one: Cost, other: Cost): Cost {
  return { ...add(one, other), bytes: Math.max(one.bytes, other.bytes) };
}

function listRequestOf({ node: { arguments: given = [] }, parent, field }: SelectedField): Dynamic<ListRequest> {
  const connection = connectionOf(getNamedType(field.type));
  // The page size counts the lists of a connection.
  const isCounted = connectionOf(parent) === undefined && isListType(getNullableType(field.type));
  const length = isCounted ? (field.extensions.items ?? ITEMS_OF_LIST) : 1;
  const lists = field.args.filter(({ type }) => isListType(getNullableType(type))).map(({ name }) => name);
  const relevant = given.filter(({ name }) => connection !== undefined || lists.includes(name.value));
  const requestOf = (variables: Variables): ListRequest => {
    const values = Object.fromEntries(relevant.map(({ name, value }) => [name.value, shallowValue(value, variables)]));
    const scanned = connection?.scannedList(values);
    return {
      count: connection === undefined ? length : (pageSizeIn(values) ?? connection.defaultPageSize),
      items: lists.reduce((sum, name) => sum + lengthOf(values[name]), 0),
      scans: scanned === undefined ? [] : [scanned],
    };
  };
  return relevant.some(({ value }) => value.kind === Kind.VARIABLE) ? requestOf : requestOf({});
}

/**
 * Without the values within it: a document may use a long list often. That of a variable may be rejected later, and may
 * not even convert to a number or a string.
 */
function shallowValue(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.VARIABLE) return variables[value.name.value];
  if (value.kind === Kind.NULL) return null;
  if (value.kind === Kind.INT) return Number(value.value);
  if (value.kind === Kind.LIST) return value.values;
  return 'value' in value ? value.value : true;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/** Validation accepts only one of them, but the other may be null. */
function pageSizeIn({ first, last }: Variables): number | undefined {
  const size = first ?? last;
  return Number.isInteger(size) && Number(size) > 0 ? Number(size) : undefined;
}

function assertAtMost(max: number, requested: number, what: string): void {
  if (requested <= max) return;
  throw limitExceeded(`The operation asks for up to ${requested} ${what}; the maximum is ${max}. Request less.`);
}
