import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLList,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { MAX_VALIDATION_ERRORS, type ValidationError } from '../errors.ts';
import { shorten } from '../text.ts';
import type { Bounds } from './bounds.ts';

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    bounds?: Bounds | undefined;
  }
  interface GraphQLInputFieldExtensions {
    bounds?: Bounds | undefined;
    /** Of an optional field: whether null is an error, and not its removal. */
    rejectsNull?: boolean;
  }
}

/** The field or argument that a value is for. */
export type InputElement = Pick<GraphQLInputField | GraphQLArgument, 'type' | 'defaultValue' | 'extensions'>;

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

/** What is wrong with a value, raw or already coerced. Undefined is a missing value. */
type InputValidator = (value: unknown, path: Path) => readonly ValidationError[];

const NO_ERRORS: readonly ValidationError[] = [];

/** The forms in which a value of an enum may be given; the first one is named in errors. */
type EnumForms = (value: GraphQLEnumValue) => readonly unknown[];

const onlyName: EnumForms = ({ name }) => [name];
/** Whether a value stands for a list with it alone, as in GraphQL. */
type Lists = 'coerced' | 'whole';

/** In arguments, the values of variables are names, and those of literals are already coerced. */
export const nameOrValue: EnumForms = ({ name, value }) => [name, value];

/** Makes validators that do not look at the types again; places with the same type and no bounds share one. */
export function inputValidators(
  names: Names = 'shown',
  formsOf: EnumForms = onlyName,
  lists: Lists = 'coerced',
): (element: InputElement) => InputValidator {
  const shared = new Map<GraphQLLeafType | GraphQLInputObjectType, InputValidator>();
  return ofElement;

  function ofElement(element: InputElement): InputValidator {
    const isRequired = isNonNullType(element.type) && element.defaultValue === undefined;
    const validate = ofType(element.type, element);
    return (value, path) => {
      if (value !== undefined) return validate(value, path);
      return isRequired ? [{ path, message: 'is required' }] : NO_ERRORS;
    };
  }

  function ofType(type: GraphQLInputType, element: InputElement): InputValidator {
    const message = isNonNullType(type)
      ? 'is required and must not be null'
      : element.extensions.rejectsNull === true && 'must not be null; omit it instead';
    const validate = ofNullable(isNonNullType(type) ? type.ofType : type, element);
    return (value, path) => {
      if (value !== null) return validate(value, path);
      return message === false ? NO_ERRORS : [{ path, message }];
    };
  }

  function ofNullable(
    type: GraphQLLeafType | GraphQLInputObjectType | GraphQLList<GraphQLInputType>,
    element: InputElement,
  ): InputValidator {
    if (isListType(type)) {
      const validate = ofType(type.ofType, element);
      return (value, path) => {
        if (Array.isArray(value)) return itemErrors(validate, value, path);
        const errors = validate(value, path);
        if (lists === 'coerced' || errors.length > 0) return errors;
        return [{ path, message: `must be a list, not ${show(value)}` }];
      };
    }
    const { bounds } = element.extensions;
    if (bounds !== undefined && !isInputObjectType(type)) return ofLeaf(type, bounds);
    const known = shared.get(type) ?? (isInputObjectType(type) ? ofObject(type) : ofLeaf(type, undefined));
    shared.set(type, known);
    return known;
  }

  function ofObject(type: GraphQLInputObjectType): InputValidator {
    const { name } = type;
    const fields = type.getFields();
    const accepted = names === 'shown' ? `, which accepts ${Object.keys(fields).join(', ')}` : '';
    // Made when first needed, because an input object may contain itself.
    let validators: readonly (readonly [name: string, validate: InputValidator])[] | undefined;
    return (value, path) => {
      if (typeof value !== 'object' || Array.isArray(value)) {
        return [{ path, message: `must be an object (${name}), not ${show(value)}` }];
      }
      const given = value as Readonly<Record<string, unknown>>;
      const unknown: ValidationError[] = Object.keys(given)
        .filter((key) => !Object.hasOwn(fields, key))
        .map((key) => ({ path: [...path, shorten(key)], message: `is not a field of ${name}${accepted}` }));
      validators ??= Object.values(fields).map((field) => [field.name, ofElement(field)]);
      // graphql-js would find it only when it runs the operation.
      if (type.isOneOf && Object.keys(given).length - unknown.length !== 1)
        unknown.push({ path, message: `must have exactly one field of ${name}${accepted}` });
      const ofFields = validators.flatMap(([key, validate]) =>
        validate(Object.hasOwn(given, key) ? given[key] : undefined, [...path, key]),
      );
      return [...unknown, ...ofFields];
    };
  }

  function ofLeaf(type: GraphQLLeafType, bounds: Bounds | undefined): InputValidator {
    if (isEnumType(type)) return ofEnum(type, bounds);
    const accepted = acceptedBy(type, bounds);
    return (value, path) => {
      let parsed: unknown;
      try {
        parsed = type.parseValue(value);
      } catch {
        // What a literal was coerced to: its scalar need not take that.
        if (formsOf !== nameOrValue) return [{ path, message: `must be ${accepted}, not ${show(value)}` }];
        parsed = value;
      }
      const message = bounds?.check(parsed);
      return message === undefined ? NO_ERRORS : [{ path, message }];
    };
  }

  function ofEnum(type: GraphQLEnumType, bounds: Bounds | undefined): InputValidator {
    const values = type.getValues();
    const accepted =
      names === 'hidden' ? `a value of ${type.name}` : `one of ${values.map((value) => formsOf(value)[0]).join(', ')}`;
    const nameOf = new Map(values.flatMap((value) => formsOf(value).map((form) => [form, value.name])));
    return (value, path) => {
      const name = nameOf.get(value);
      const message = name === undefined ? `must be ${accepted}, not ${show(value)}` : bounds?.check(name);
      return message === undefined ? NO_ERRORS : [{ path, message }];
    };
  }
}

/** Stops after more errors than are returned: a list may have very many items. */
function itemErrors(validate: InputValidator, items: readonly unknown[], path: Path): ValidationError[] {
  const validationErrors: ValidationError[] = [];
  for (const [index, item] of items.entries()) {
    if (validationErrors.length > MAX_VALIDATION_ERRORS) break;
    validationErrors.push(...validate(item, [...path, index]));
  }
  return validationErrors;
}

/** The accepted values of a type that is no enum, within bounds, as a phrase to follow "must be". */
export function acceptedBy(type: GraphQLLeafType, bounds?: Bounds): string {
  if (type.name === 'Int' && bounds !== undefined) return `an integer from ${bounds.accepts}`;
  return String(type.extensions.accepts ?? ACCEPTED_BY_BUILT_IN[type.name] ?? `of type ${type.name}`);
}

/** The value, shortened to fit into a sentence. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  // parseJson returns NaN, or the nearest number, for a fraction that no number represents, and Infinity for one that is
  // too large.
  if (Number.isNaN(value) || isBesideInteger(value)) return 'a number with a fraction';
  if (value === Infinity || value === -Infinity) return 'a number of more than 308 digits';
  return shorten(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

/** Whether no number is between the number and an integer: then the client may have sent another one. */
function isBesideInteger(value: unknown): boolean {
  if (typeof value !== 'number' || Number.isInteger(value)) return false;
  const difference = Math.abs(value - Math.round(value));
  return difference <= Math.max(2 * Number.EPSILON * Math.abs(value), Number.MIN_VALUE);
}
