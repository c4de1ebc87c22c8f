import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { encodeCursor } from '../../src/engine/db/cursor.ts';
import { stringifyJson } from '../../src/engine/json.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { dateTimes, exact, hostileValues, identifiers, mostly, rowsOf, type Taste, texts, waits } from './values.ts';

/** A value of an argument, in a variable or as a literal. */
export interface Given {
  readonly argument: string;
  /** The name of its variable. */
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  /** The literal, if it is not in a variable. */
  readonly literal?: string;
}

/** The names of lists in cursors, by the types of their connections. */
const LISTS = new Map(
  Object.values(petStoreService.schema.getTypeMap()).flatMap((type) => {
    const list = isObjectType(type) ? type.getFields().totalCount?.extensions.counts : undefined;
    return list === undefined || !('name' in list) ? [] : [[type.name, `${list.name}.id`] as const];
  }),
);

/**
 * Arguments of a field, each in a variable of its own or as a literal.
 *
 * @param answers the named return type of the field, which the cursors belong to
 * @param place a prefix for the names of the variables
 */
export function argumentsOf(
  args: readonly GraphQLArgument[],
  answers: string,
  place: string,
  taste: Taste,
): fc.Arbitrary<readonly Given[]> {
  const list = LISTS.get(answers);
  const given = args.map((arg): fc.Arbitrary<Given | undefined> => {
    const isCursor = taste === exact && list !== undefined && (arg.name === 'after' || arg.name === 'before');
    const cursors = rowsOf('').map((id) => encodeCursor(list ?? '', { id, value: null }));
    const values = isCursor ? cursors : valuesOf(arg.type, taste, arg.name, arg);
    const present = fc.tuple(values, fc.nat(3)).map(([value, way]) => ({
      argument: arg.name,
      name: `${place}_${arg.name}`,
      type: `${arg.type}`,
      value,
      ...(way === 3 && { literal: literalOf(value, arg.type) }),
    }));
    return isNonNullType(arg.type) ? present : mostly(fc.constant(undefined), present);
  });
  return fc.tuple(...given).map((all) => {
    const present = all.filter((one) => one !== undefined);
    return taste === exact ? present.filter(goesWith(present)) : present;
  });
}

/** A page starts at one end of the list, and a cursor needs the sort of its page. */
function goesWith(all: readonly Given[]): (one: Given) => boolean {
  const names = new Set(all.map(({ argument }) => argument));
  const hasCursor = names.has('after') || names.has('before');
  return ({ argument }) => !(argument === 'last' && names.has('first')) && !(argument === 'sort' && hasCursor);
}

function valuesOf(
  type: GraphQLInputType,
  taste: Taste,
  name: string,
  place: Pick<GraphQLInputField, 'extensions'>,
): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return valuesOf(type.ofType, taste, name, place);
  if (isListType(type)) {
    // The row's version must be among the expected ones.
    if (name === 'expectedVersion' && taste === exact) return fc.constantFrom([1, 2, 3], [1], [2, 3]);
    return taste(fc.array(valuesOf(type.ofType, taste, name, place), { maxLength: 3 }));
  }
  const named: GraphQLNamedInputType = type;
  if (isEnumType(named)) return taste(fc.constantFrom(...named.getValues().map((one) => one.name)));
  if (isInputObjectType(named)) return taste(objectsOf(named, taste));
  if (named.name === 'Int64') return taste(taste === exact ? rowsOf(name) : identifiers);
  if (name === 'wait') return taste(taste === exact ? waits.right : waits.any);
  if (named.name === 'Int')
    return taste(taste === exact ? fc.integer({ min: 1, max: 9 }) : fc.integer({ min: -2, max: 120 }));
  if (named.name === 'Boolean') return taste(fc.boolean());
  if (named.name === 'DateTime') return taste(dateTimes);
  const { minLength = 0, maxLength = 30, pattern = '' } = place.extensions.bounds?.jsonSchema ?? {};
  if (taste === exact && `${pattern}`.startsWith('^')) return taste(fc.stringMatching(new RegExp(`${pattern}`)));
  return taste(texts(Number(minLength), Number(maxLength)));
}

function objectsOf(type: GraphQLInputObjectType, taste: Taste): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.values(type.getFields());
  return fc.record(
    Object.fromEntries(fields.map((field) => [field.name, valuesOf(field.type, taste, field.name, field)])),
    { requiredKeys: fields.filter((field) => isNonNullType(field.type)).map((field) => field.name) },
  );
}

/** With one variable that is invalid or missing. */
export function withMistake(
  variables: Readonly<Record<string, unknown>>,
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const names = Object.keys(variables);
  if (names.length === 0) return fc.constant({ unknown: 1 });
  return fc.tuple(fc.constantFrom(...names), fc.nat(5), hostileValues).map(([name, way, fault]) => {
    const value = variables[name];
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (way === 0) return Object.fromEntries(Object.entries(variables).filter(([key]) => key !== name));
    if (way < 3 || !isObject) return { ...variables, [name]: fault };
    const keys = [...Object.keys(value), 'extra'];
    return { ...variables, [name]: { ...value, [keys[way % keys.length] as string]: fault } };
  });
}

/** The value as a GraphQL literal. */
function literalOf(value: unknown, type: GraphQLInputType): string {
  const named = getNamedType(type);
  if (Array.isArray(value)) return `[${value.map((one) => literalOf(one, type)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(named) ? named.getFields() : {};
    const pairs = Object.entries(value).map(([key, one]) => `${key}: ${literalOf(one, fields[key]?.type ?? type)}`);
    return `{${pairs.join(', ')}}`;
  }
  return isEnumType(named) && typeof value === 'string' ? value : stringifyJson(value);
}
