import { setImmediate as tick } from 'node:timers/promises';
import {
  buildSchema,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';

/** A schema with everything that a schema may have, more than the pet store's. */
const ZOO = `
  scalar Int64
  scalar Moment
  scalar Json
  enum Mood { calm wild grumpy sleepy }
  input Spot { x: Int! = 1, y: Int, label: String = "here", moods: [Mood!] }
  input Where { near: Spot, ids: [Int64!], at: Moment, text: String = "any", must: Boolean! }
  input Dated { since: Moment = "2026-11-21T00:00:00.000Z", id: Int64 }
  input Pick @oneOf { name: String, id: ID }
  interface Being { id: ID!, name: String, keeper: Keeper, echo(number: Int, text: String): String }
  type Lion implements Being {
    id: ID!, name: String!, keeper: Keeper!, echo(number: Int, text: String): String
    age: Int, cubs(first: Int = 2): [Lion!], mate: Lion, scub: String, secho: String, mood: Mood
  }
  type Lions { cub: String, echo(text: String = "lions"): String }
  type Bird implements Being {
    id: ID!, name: String, keeper: Keeper, echo(number: Int, text: String): String!, nest: Place, mood: Mood!
  }
  type Guest { id: ID!, mood: Mood }
  type Keeper { id: ID!, name: String!, cages(first: Int! = 2): [Cage!]!, boss: Keeper, charges: [Being], lion: Lion! }
  type Place { x: Int!, y: Int, cage: Cage, echo(spot: Spot, mood: Mood = calm): String! }
  union Found = Lion | Cage | Bird
  type Cage {
    id: ID!, size: Int, label: String!, weight: Float!, number: Int64, since: Moment, extra: Json, mood: Mood
    tags: [String!], grid: [[Int!]], place: Place, places: [Place!]
    lions(first: Int = 2, mood: Mood): [Lion!]!, prides: [[Lion]!], guard: Keeper, chief: Keeper!, guest: Guest
    beings: [Being!], found: Found, big(id: Int64): Int64, when(at: Moment): Moment!, moods: [Mood]
    echo(text: String = "a", number: Float, ids: [Int!], where: Where, moods: [Mood], must: Int! = 3): String
    log(json: Json, at: Moment, id: Int64, ids: [[Int64!]], spot: Spot! = { x: 2 }, flag: Boolean!): String!
  }
  type Query {
    cage(size: Int, where: Where, ids: [Int64!], mood: Mood = calm): Cage, cages(first: Int! = 2): [Cage!]!
    lion(id: Int64): Lion, lions: Lions, keeper: Keeper!, place(spot: Spot): Place!, being: Being, found: [Found!]
    guest: Guest, dated(in: Dated): String, picked(by: Pick): String, total: Int, sum: Float!
    echo(text: String = "a", number: Float, ids: [Int!], where: Where, moods: [Mood], must: Int! = 3): String
  }
  type Mutation { feed(where: Where): Cage, free(ids: [Int64!]!): Int!, move(spot: Spot = { y: 3 }): Lion }
`;

/** Fields without a resolver: properties of the rows. */
const PROPERTIES = new Set('id size label weight number since extra tags grid place places x y age total'.split(' '));

interface Zoo {
  readonly schema: GraphQLSchema;
  /** Starts another day: the results of resolvers depend on the day, their path and their arguments. */
  begin(day: number): void;
  /** The changes of this day. */
  changes(): readonly string[];
}

/** A schema whose resolvers return anything possible: at once or later, values, nulls, errors and invalid values. */
export function createZoo(): Zoo {
  const schema = buildSchema(ZOO);
  let day = 0;
  let changes: string[] = [];
  setScalars(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) setResolver(field);
    if (type.name === 'Guest') type.isTypeOf = isGuest;
  }
  return {
    schema,
    begin(next) {
      day = next;
      changes = [];
    },
    changes: () => changes,
  };

  function setResolver(field: GraphQLField<unknown, unknown>): void {
    if (PROPERTIES.has(field.name)) return;
    field.resolve = (_, args, __, info) => {
      const call = `${info.parentType}.${info.fieldName} ${show(args)}`;
      if (info.parentType.name === 'Mutation') changes.push(call);
      const chance = chances(`${day} ${pathOf(info)} ${call}`);
      // On two days of three everything succeeds, and on one of six all values are returned at once.
      const isBad = day % 3 === 0 && chance(100) < 25;
      if (isBad && chance(2) === 0) throw new Error(`failed at ${call}`);
      const isEcho = field.name === 'echo' || field.name === 'log';
      const answer = isBad
        ? badOf(chance)
        : isEcho
          ? echo(info, call)
          : answerFor(info.returnType, info.schema, chance);
      const way = day % 6 === 0 ? 0 : chance(4);
      if (way < 2) return answer;
      const isRejected = answer instanceof Error && way === 3;
      return (way === 2 ? Promise.resolve() : tick()).then(() => (isRejected ? Promise.reject(answer) : answer));
    };
  }

  function badOf(chance: Chance): unknown {
    return [null, undefined, new Error('given'), Number.NaN, { id: null }, 7, [null, new Error('item')]][chance(7)];
  }

  function answerFor(type: GraphQLOutputType, within: GraphQLSchema, chance: Chance): unknown {
    const isBad = day % 3 === 0 && chance(30) === 0;
    if (isBad && chance(2) === 0) return isNonNullType(type) ? null : new Error('not there');
    if (isNonNullType(type)) return present(type.ofType, within, chance, isBad);
    return chance(12) === 0 ? null : present(type, within, chance, isBad);
  }

  function present(type: GraphQLOutputType, within: GraphQLSchema, chance: Chance, isBad: boolean): unknown {
    if (isListType(type)) return Array.from({ length: chance(4) }, () => answerFor(type.ofType, within, chance));
    if (isObjectType(type)) return rowOf(type, within, chance);
    if (isAbstractType(type)) {
      const types = within.getPossibleTypes(type);
      const chosen = types[chance(types.length)] as GraphQLObjectType;
      return { __typename: isBad ? 'Keeper' : chosen.name, ...rowOf(chosen, within, chance) };
    }
    return isBad ? {} : leafOf(type, chance);
  }

  function rowOf(type: GraphQLObjectType, within: GraphQLSchema, chance: Chance): object {
    const fields = Object.values(type.getFields()).filter(({ resolve }) => resolve === undefined);
    return {
      ...Object.fromEntries(fields.map((field) => [field.name, answerFor(field.type, within, chance)])),
      kind: chance(4),
    };
  }
}

function isGuest(value: unknown): boolean | Promise<boolean> {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : 0;
  return kind === 0 ? Promise.resolve(false) : kind !== 1;
}

/** A text with everything that a resolver gets. */
function echo({ fieldNodes, returnType, variableValues, path }: GraphQLResolveInfo, call: string): string {
  const keys = fieldNodes.map(({ alias, name }) => (alias ?? name).value);
  return `${call} ${returnType} ${keys} ${path.key} ${show(variableValues)}`;
}

function pathOf({ path }: GraphQLResolveInfo): string {
  const keys: (string | number)[] = [];
  for (let at: GraphQLResolveInfo['path'] | undefined = path; at !== undefined; at = at.prev) keys.push(at.key);
  return keys.join('/');
}

/** A value as text that differs for any two values; undefined properties are left out. */
function show(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (value instanceof Date) return `Date ${value.toISOString()}`;
  if (Array.isArray(value)) return `[${value.map(show)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? `${value}`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${name}:${show(inner)}`)}}`;
}

type Chance = (of: number) => number;

/** The same sequence of numbers for the same text. */
function chances(text: string): Chance {
  let state = 2_166_136_261;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 16_777_619);
  return (of) => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9;
    state ^= state >>> 13;
    return (state >>> 0) % of;
  };
}

function leafOf(type: GraphQLNamedType, chance: Chance): unknown {
  if (isEnumType(type)) return type.getValues()[chance(4)]?.value;
  const number = chance(100);
  const leaves: Readonly<Record<string, unknown>> = {
    Int: number,
    Float: number / 8,
    Boolean: number > 50,
    Int64: number > 50 ? 9_007_199_254_740_993n : BigInt(number),
    Moment: new Date(number * 1e10),
    Json: { number, list: [number, null] },
  };
  return leaves[type.name] ?? `text ${number}`;
}

function setScalars(schema: GraphQLSchema): void {
  const { Int64, Moment, Json, Mood } = schema.getTypeMap();
  if (
    !(Int64 instanceof GraphQLScalarType && Moment instanceof GraphQLScalarType && Json instanceof GraphQLScalarType)
  ) {
    throw new Error('The zoo lacks a scalar.');
  }
  Int64.serialize = (value) => {
    if (typeof value !== 'bigint') throw new Error(`Int64 cannot be ${show(value)}.`);
    return value;
  };
  Int64.parseValue = (value) => toInt64(typeof value === 'bigint' || typeof value === 'number' ? value : undefined);
  Int64.parseLiteral = (node) => toInt64(node.kind === Kind.INT ? node.value : undefined);
  Moment.serialize = (value) => {
    if (!(value instanceof Date)) throw new Error(`Moment cannot be ${show(value)}.`);
    return value.toISOString();
  };
  Moment.parseValue = (value) => new Date(String(value));
  Moment.parseLiteral = (node) => new Date(node.kind === Kind.STRING ? node.value : Number.NaN);
  Json.serialize = (value) => value;
  Json.parseValue = (value) => value;
  Json.parseLiteral = (node: ValueNode, variables) => structuredClone(valueFromASTUntyped(node, variables));
  if (!(Mood instanceof GraphQLEnumType)) throw new Error('The zoo lacks a mood.');
  for (const [name, value] of Object.entries({ wild: 7n, grumpy: new Date(0), sleepy: '__MAGIC_NAN__' })) {
    const mood = Mood.getValue(name);
    if (mood != null) mood.value = value;
  }
}

function toInt64(value: bigint | number | string | undefined): bigint {
  if (value === undefined) throw new Error('The value is no Int64.');
  return BigInt(value);
}
