import {
  type GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLLeafType,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { describeValidationError, ServiceError, type ValidationError } from '../errors.ts';
import { parseInt64 } from '../int64.ts';
import { acceptedBy, show } from '../schema/input.ts';
import type { Variable } from './variables.ts';

type Values = Record<string, unknown>;

/** Creates the reader of a path's encoded segments. It throws INVALID_ARGUMENT. */
export function pathReader(variables: readonly Variable[]): (segments: Readonly<Record<string, string>>) => Values {
  const list = variables.find(isList);
  if (list !== undefined) throw new Error(`The variable $${list.name} is a list, and a path has one value for it.`);
  const readers = variables.map((variable) => ({ name: variable.name, read: textReader(variable) }));
  return (segments) => {
    const values: Values = {};
    for (const { name, read } of readers) values[name] = read(decode(segments[name] ?? '', 'The path'));
    return values;
  };
}

/** Whether a client has to give the parameter. */
export function isRequired({ type, defaultValue }: Variable): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

/** Creates the reader of a route's query string. It throws INVALID_ARGUMENT: a misspelt filter must not be ignored. */
export function queryReader(variables: readonly Variable[]): (search: string) => Values {
  const byName = new Map(
    variables.map((variable) => [variable.name, { read: textReader(variable), isList: isList(variable) }]),
  );
  const required = variables.filter(isRequired).map(({ name }) => name);
  return (search) => {
    const values: Values = {};
    for (const pair of search.split('&')) {
      if (pair === '') continue;
      const [name, text] = splitPair(pair);
      const variable = byName.get(name);
      if (variable === undefined) throw unknownParameter(name, byName);
      addValue(values, name, variable.read(text), variable.isList);
    }
    const absent = required.find((name) => values[name] === undefined);
    if (absent !== undefined) throw invalid([absent], 'is required in the query string');
    return values;
  };
}

function addValue(values: Values, name: string, value: unknown, isInList: boolean): void {
  const before = values[name];
  if (Array.isArray(before)) before.push(value);
  else if (before !== undefined) throw invalid([name], 'must be given only once');
  else values[name] = isInList ? [value] : value;
}

/** The name of an enum value on REST: its `restName`, `-name` for `name_desc`, the usual form in URLs, or its name. */
export function restNameOf({ name, extensions }: Pick<GraphQLEnumValue, 'name' | 'extensions'>): string {
  if (typeof extensions.restName === 'string') return extensions.restName;
  return name.endsWith('_desc') ? `-${name.slice(0, -'_desc'.length)}` : name;
}

/** The name in GraphQL of the enum value with a name on REST; undefined if there is none. */
export function fromRestName(type: GraphQLEnumType, text: unknown): string | undefined {
  return type.getValues().find((value) => restNameOf(value) === text)?.name;
}

/** Whether REST has other names for the values of an enum than GraphQL. */
export function hasRestNames(type: GraphQLEnumType): boolean {
  return type.getValues().some((value) => restNameOf(value) !== value.name);
}

export function isList({ type }: { readonly type: GraphQLType }): boolean {
  return isListType(getNullableType(type));
}

export function leafType({ name, type }: Variable): GraphQLLeafType {
  const [named, list] = [getNamedType(type), getNullableType(type)];
  const isNested = isListType(list) && isListType(getNullableType(list.ofType));
  if (!isLeafType(named) || isNested) throw new Error(`The variable $${name} cannot be a parameter.`);
  return named;
}

function textReader(variable: Variable): (text: string) => unknown {
  const { name } = variable;
  const type = leafType(variable);
  const { bounds } = variable.argument.extensions;
  const parse = textParser(type);
  return (text) => {
    const value = parse(text);
    if (value === undefined) {
      const accepted = isEnumType(type)
        ? `one of ${type.getValues().map(restNameOf).join(', ')}`
        : acceptedBy(type, bounds);
      const hint = isList(variable) && text.includes(',') ? `; for several, repeat ${repeated(name, text)}` : '';
      throw invalid([name], `must be ${accepted}, not ${show(text)}${hint}`);
    }
    const message = bounds?.check(isEnumType(type) ? value : type.parseValue(value));
    if (message !== undefined) throw invalid([name], message);
    return value;
  };
}

/** The first two values of a text with commas, as `status=available&status=sold`. */
function repeated(name: string, text: string): string {
  const [one = '', other = ''] = text.split(',').map((part) => show(part.trim()).replaceAll('"', ''));
  return `the parameter: ${name}=${one}&${name}=${other}`;
}

/** Creates the parser for texts of a type; it returns undefined for an invalid text. */
function textParser(type: GraphQLLeafType): (text: string) => unknown {
  if (isEnumType(type)) return (text) => fromRestName(type, text);
  const parse = PARSERS[type.name];
  if (parse !== undefined) return parse;
  // A custom scalar has the text of its JSON string, or its JSON. A plus sign in a URL may stand for itself (RFC 3986).
  return (text) => [text, text.replaceAll(' ', '+'), number(text)].find((given) => accepts(type, given));
}

/** Whether it is a value of the type as clients send it: what it is parsed to need not be. */
function accepts(type: GraphQLLeafType, given: unknown): boolean {
  try {
    return given !== undefined && type.parseValue(given) !== undefined;
  } catch {
    return false;
  }
}

function number(text: string): unknown {
  return parseInt64(text) ?? PARSERS.Float?.(text);
}

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  Int64: parseInt64,
  Int: (text) => (/^-?\d{1,10}$/.test(text) && Number(text) === (Number(text) | 0) ? Number(text) : undefined),
  Float: (text) => (/^-?\d+(\.\d+)?(e-?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined),
  Boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  String: (text) => text,
  ID: (text) => text,
};

/** Decodes a parameter of a query string; throws INVALID_ARGUMENT if its percent-encoding is invalid. */
export function splitPair(pair: string): [name: string, text: string] {
  const plain = pair.replaceAll('+', ' ');
  const equals = plain.indexOf('=');
  const [name, text] = equals === -1 ? [plain, ''] : [plain.slice(0, equals), plain.slice(equals + 1)];
  return [decode(name, 'The query string'), decode(text, 'The query string')];
}

function decode(encoded: string, where: string): string {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new ServiceError(
      'INVALID_ARGUMENT',
      `${where} has percent-encoding that is not UTF-8: ${show(encoded)}. Write a percent sign itself as %25.`,
    );
  }
}

function unknownParameter(name: string, known: ReadonlyMap<string, { readonly isList: boolean }>): ServiceError {
  const accepts = known.size === 0 ? 'has none' : `accepts ${[...known.keys()].join(', ')}`;
  // Many clients write the elements of a list as `status[]=...` or `status[0]=...`.
  const plain = name.replace(/\[\d*\]$/, '');
  const hint = plain !== name && known.get(plain)?.isList ? `; for several, repeat ${plain} without brackets` : '';
  return new ServiceError(
    'INVALID_ARGUMENT',
    `${show(name)} is not a parameter of this operation, which ${accepts}${hint}.`,
  );
}

function invalid(path: ValidationError['path'], message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', describeValidationError({ path, message }));
}
