import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../../src/schema.ts';
import { hostileValues, identifiers, mostly } from './values.ts';

/** A request to GraphQL. */
export interface GraphQLCase {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const MOST_DEPTH = 4;

/** Operations that the schema allows, nearly allows, and does not allow at all. */
export const graphqlCases: fc.Arbitrary<GraphQLCase> = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(operationsOf('query'), operationsOf('mutation')) },
  { weight: 2, arbitrary: damaged(operationsOf('query')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }).map((query) => ({ query, variables: {} })) },
);

function operationsOf(kind: 'query' | 'mutation'): fc.Arbitrary<GraphQLCase> {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const fields = Object.values(root?.getFields() ?? {});
  return fc
    .array(fc.constantFrom(...fields), { minLength: 1, maxLength: 3 })
    .chain((chosen) => fc.tuple(...chosen.map((field, at) => selectionOf(field, `r${at}`, 0))))
    .map((parts) => ({
      query: `${kind}${declared(parts)} { ${parts.map(({ text }) => text).join(' ')} }`,
      variables: Object.fromEntries(parts.flatMap(({ given }) => given.map(({ name, value }) => [name, value]))),
    }));
}

interface Given {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

interface Part {
  readonly text: string;
  readonly given: readonly Given[];
}

function declared(parts: readonly Part[]): string {
  const variables = parts.flatMap(({ given }) => given.map(({ name, type }) => `$${name}: ${type}`));
  return variables.length === 0 ? '' : `(${variables.join(', ')})`;
}

/** A field with arguments in variables of their own, and what is selected within it. */
function selectionOf(field: GraphQLField<unknown, unknown>, place: string, depth: number): fc.Arbitrary<Part> {
  const type = getNamedType(field.type);
  const within = isObjectType(type) ? selectionsOf(type, place, depth + 1) : fc.constant<Part>({ text: '', given: [] });
  const given = field.args.map((arg) => argumentOf(arg, `${place}_${arg.name}`));
  return fc
    .tuple(fc.tuple(...given), within, fc.constantFrom('', '', '', ' @include(if: true)', ' @skip(if: true)'))
    .map(([args, inner, directive]) => {
      const present = args.filter((arg) => arg !== undefined);
      const list = present.map(({ name, argument }) => `${argument}: $${name}`).join(', ');
      return {
        text: `${place}: ${field.name}${list && `(${list})`}${directive}${inner.text}`,
        given: [...present, ...inner.given],
      };
    });
}

function selectionsOf(type: GraphQLObjectType, place: string, depth: number): fc.Arbitrary<Part> {
  const fields = Object.values(type.getFields()).filter(
    (field) => depth < MOST_DEPTH || !isObjectType(getNamedType(field.type)),
  );
  if (fields.length === 0) return fc.constant({ text: ' { __typename }', given: [] });
  return fc
    .uniqueArray(fc.nat(fields.length - 1), { minLength: 1, maxLength: 3 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((at) => selectionOf(fields[at] as GraphQLField<unknown, unknown>, `${place}f${at}`, depth)),
      ),
    )
    .map((parts) => ({
      text: ` { __typename ${parts.map(({ text }) => text).join(' ')} }`,
      given: parts.flatMap(({ given }) => given),
    }));
}

function argumentOf(
  { name: argument, type }: GraphQLArgument,
  name: string,
): fc.Arbitrary<(Given & { readonly argument: string }) | undefined> {
  const present = mostly(valuesOf(type), hostileValues).map((value) => ({ name, argument, type: `${type}`, value }));
  return isNonNullType(type)
    ? present
    : mostly<typeof present extends fc.Arbitrary<infer T> ? T | undefined : never>(fc.constant(undefined), present);
}

function valuesOf(type: GraphQLInputType): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return valuesOf(type.ofType as GraphQLInputType);
  if (isListType(type)) return fc.array(valuesOf(type.ofType as GraphQLInputType), { maxLength: 3 });
  const named = type as GraphQLNamedInputType;
  if (isEnumType(named)) return fc.constantFrom(...named.getValues().map(({ name }) => name));
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields());
    return fc.record(
      Object.fromEntries(fields.map((field) => [field.name, mostly(valuesOf(field.type), hostileValues)])),
      { requiredKeys: fields.filter((field) => isNonNullType(field.type)).map((field) => field.name) },
    );
  }
  if (named.name === 'Int64') return identifiers;
  if (named.name === 'Int') return fc.integer({ min: -2, max: 120 });
  if (named.name === 'Boolean') return fc.boolean();
  if (named.name === 'DateTime') {
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  }
  return fc.oneof(fc.constantFrom('Rex', 'Dogs'), fc.string({ maxLength: 20 }));
}

/** With a piece taken out, or put in twice. */
function damaged(cases: fc.Arbitrary<GraphQLCase>): fc.Arbitrary<GraphQLCase> {
  return fc
    .tuple(cases, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(12), fc.boolean())
    .map(([{ query, variables }, at, length, isDoubled]) => {
      const from = Math.floor(at * query.length);
      const piece = query.slice(from, from + length);
      return { query: query.slice(0, from) + (isDoubled ? piece + piece : '') + query.slice(from + length), variables };
    });
}
