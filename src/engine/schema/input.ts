import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { MAX_VALIDATION_ERRORS, type ValidationError } from '../errors.ts';
import type { Bounds } from './bounds.ts';

/** The field or argument that a value is for: its type, default and extensions. */
export type InputPlace = Pick<GraphQLInputField | GraphQLArgument, 'type' | 'defaultValue' | 'extensions'>;

type Path = readonly (string | number)[];

const ACCEPTED_BY_BUILT_IN: Readonly<Record<string, string>> = {
  Int: 'an integer from -2147483648 to 2147483647',
  Float: 'a number',
  String: 'a string',
  Boolean: 'true or false',
  ID: 'a string or an integer',
};

/** Whether an error about a misspelt name lists the accepted names. They are hidden if introspection is off. */
export type Names = 'shown' | 'hidden';

/**
 * Validates a value for an input field, argument or variable: its type and bounds, and missing or unknown fields in it.
 * The value may be raw or already coerced.
 */
export function inputErrors(
  place: InputPlace,
  value: unknown,
  path: Path = [],
  names: Names = 'shown',
): ValidationError[] {
  if (value === undefined) {
    const isMissing = isNonNullType(place.type) && place.defaultValue === undefined;
    return isMissing ? [{ path, message: 'is required' }] : [];
  }
  return valueErrors(place.type, place, value, path, names);
}

/** The accepted values of a type, within bounds, as a phrase to follow "must be". */
export function acceptedBy(type: GraphQLLeafType, bounds?: Bounds): string {
  if (type.name === 'Int' && bounds !== undefined) return `an integer from ${bounds.accepts}`;
  if (isEnumType(type)) {
    return `one of ${type
      .getValues()
      .map(({ name }) => name)
      .join(', ')}`;
  }
  return String(type.extensions.accepts ?? ACCEPTED_BY_BUILT_IN[type.name] ?? `of type ${type.name}`);
}

/** The bounds that the field or argument declares. */
export function boundsOf(place: Pick<InputPlace, 'extensions'>): Bounds | undefined {
  return place.extensions.bounds as Bounds | undefined;
}

function valueErrors(
  type: GraphQLInputType,
  place: InputPlace,
  value: unknown,
  path: Path,
  names: Names,
): ValidationError[] {
  if (isNonNullType(type)) {
    return value === null
      ? [{ path, message: 'is required and must not be null' }]
      : valueErrors(type.ofType, place, value, path, names);
  }
  if (value === null) {
    return place.extensions.rejectsNull === true ? [{ path, message: 'must not be null; omit it instead' }] : [];
  }
  if (isListType(type)) {
    if (!Array.isArray(value)) return valueErrors(type.ofType, place, value, path, names);
    return itemErrors(type.ofType, place, value, path, names);
  }
  if (isInputObjectType(type)) return objectErrors(type.name, type.getFields(), value, path, names);
  return leafErrors(type, boundsOf(place), value, path, names);
}

/** Stops after more errors than are returned: a list may have very many items. */
function itemErrors(
  type: GraphQLInputType,
  place: InputPlace,
  items: readonly unknown[],
  path: Path,
  names: Names,
): ValidationError[] {
  const validationErrors: ValidationError[] = [];
  for (const [index, item] of items.entries()) {
    if (validationErrors.length > MAX_VALIDATION_ERRORS) break;
    validationErrors.push(...valueErrors(type, place, item, [...path, index], names));
  }
  return validationErrors;
}

function objectErrors(
  name: string,
  fields: Readonly<Record<string, GraphQLInputField>>,
  value: unknown,
  path: Path,
  names: Names,
): ValidationError[] {
  if (typeof value !== 'object' || Array.isArray(value)) {
    return [{ path, message: `must be an object (${name}), not ${show(value)}` }];
  }
  const given = value as Readonly<Record<string, unknown>>;
  const accepted = names === 'shown' ? `, which accepts ${Object.keys(fields).join(', ')}` : '';
  const unknown = Object.keys(given)
    .filter((key) => !Object.hasOwn(fields, key))
    .slice(0, MAX_VALIDATION_ERRORS + 1);
  return [
    ...unknown.map((key) => ({
      path: [...path, shorten(key)],
      message: `is not a field of ${name}${accepted}`,
    })),
    ...Object.values(fields).flatMap((field) =>
      inputErrors(
        field,
        Object.hasOwn(given, field.name) ? given[field.name] : undefined,
        [...path, field.name],
        names,
      ),
    ),
  ];
}

function leafErrors(
  type: GraphQLLeafType,
  bounds: Bounds | undefined,
  value: unknown,
  path: Path,
  names: Names,
): ValidationError[] {
  let parsed: unknown;
  try {
    parsed = type.parseValue(value);
  } catch {
    const accepted = isEnumType(type) && names === 'hidden' ? `a value of ${type.name}` : acceptedBy(type, bounds);
    return [{ path, message: `must be ${accepted}, not ${show(value)}` }];
  }
  const { error } = bounds?.check.safeParse(parsed) ?? {};
  return error === undefined ? [] : error.issues.slice(0, 1).map(({ message }) => ({ path, message }));
}

/** The value, shortened to fit into a sentence. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  // parseJson gives NaN for a fraction that no number has.
  if (Number.isNaN(value)) return 'a number with a fraction';
  return shorten(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
