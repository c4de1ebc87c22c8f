import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { stringifyJson } from '../../src/json.ts';

/** A document that is valid, and what it is run with. */
export interface Asked {
  readonly text: string;
  /** Those of its operations that are run, one after another. */
  readonly operations: readonly { readonly name: string; readonly variables: Readonly<Record<string, unknown>> }[];
  /** A number for whatever else depends on chance. */
  readonly day: number;
}

/** What documents are made of, beside their schema. */
export interface Kit {
  readonly schema: GraphQLSchema;
  readonly kinds: readonly OperationTypeNode[];
  /** Values of scalars, each as it is written in a document and as it is in variables. */
  readonly leaves: Readonly<Record<string, readonly (readonly [literal: string, value: unknown])[]>>;
  /** Scalars whose literals are not what JSON has: in most documents they stand in variables alone. */
  readonly exotic: ReadonlySet<string>;
  /** Whether a field is asked for, or an argument given. */
  has(element: GraphQLField<unknown, unknown> | GraphQLArgument): boolean;
}

/** A whole number below this; the smaller, the simpler. */
type Pick = (below: number) => number;

const MOST_DEPTH = 5;
const FRAGMENTS = 4;
const ALIASES = [...'abcdefg', 'b_c', 'c_a', 'idx0', 'then', 'constructor', 'toString', 'index', 'name', '__proto__'];
const VARIABLES = [...'abcdefghijkvwxyz', 'constructor', 'toString'];
const FLAGS = ['$is', '$not', '$may', 'true', 'false'];

/** Documents with fragments that are spread often, conditions, aliases, variables and their defaults. */
export function documentsFor(kit: Kit): fc.Arbitrary<Asked> {
  // The day is drawn first: by itself, fc.gen() would give the same again for each document that is not valid.
  return fc
    .tuple(fc.nat(999), fc.gen())
    .map(([day, generate]) => writeDocument(kit, day, (below) => generate(fc.nat, below - 1)))
    .filter(({ text }) => validate(kit.schema, parse(text)).length === 0);
}

function writeDocument(kit: Kit, day: number, pick: Pick): Asked {
  const { schema, kinds } = kit;
  const fragments: { readonly name: string; readonly type: GraphQLNamedType; readonly text: string }[] = [];
  const variables = new Map<string, { readonly definition: string; readonly value: unknown }>();
  const argumentsOfKeys = new Map<string, string>();
  const namesOfAliases = new Map<string, string>();
  // Most documents have no conditions, or no abstract types: one that has everything is never compiled.
  const conditional = [0, 0, 6, 3][pick(4)] as number;
  const abstract = pick(4) === 3;
  // And most have values that are compiled.
  const tame = pick(4) < 3;
  const withVariables = pick(3) > 0;
  let mayVary = true;
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && (isObjectType(type) || (abstract && isAbstractType(type))),
  );
  for (const flag of ['is', 'not']) setVariable(flag, 'Boolean!', pick(2) === 1);
  setVariable('may', `Boolean = ${pick(2) === 1}`, [undefined, true, false, null][pick(4)]);
  for (let count = pick(FRAGMENTS + 1); count > 0; count--) {
    const type = types[pick(types.length)] as GraphQLNamedType;
    fragments.unshift({ name: `F${count}`, type, text: `on ${type.name} ${selections(type, 2)}` });
  }
  const operations = [...Array(pick(10) === 9 ? 2 : 1).keys()].map((index) => writeOperation(`O${index}`));
  const written = operations.map(({ text }) => text).join(' ');
  const used = withFragments(written, fragments);
  return {
    text: [written, ...used.map(({ name, text }) => `fragment ${name} ${text}`)].join(' '),
    operations: operations.map(({ name, variables }) => ({ name, variables })),
    day,
  };

  function writeOperation(name: string) {
    const kind = kinds[pick(kinds.length)] as OperationTypeNode;
    const root = schema.getRootType(kind) as GraphQLNamedType;
    // Most changes are single, for they alone are compiled.
    const text = kind === OperationTypeNode.MUTATION && pick(3) > 0 ? `{ ${field(root, 1)} }` : selections(root, 1);
    const whole = [text, ...withFragments(text, fragments).map((fragment) => fragment.text)].join(' ');
    const own = [...variables].filter(([variable]) => new RegExp(`\\$${variable}\\b`).test(whole));
    const definitions = own.map(([variable, { definition }]) => `$${variable}: ${definition}`);
    const given = own.filter(([, { value }]) => value !== undefined).map(([variable, { value }]) => [variable, value]);
    return {
      name,
      text: `${kind} ${name}${definitions.length === 0 ? '' : `(${definitions.join(', ')})`} ${text}`,
      variables: Object.fromEntries(given) as Record<string, unknown>,
    };
  }

  function selections(type: GraphQLNamedType, depth: number): string {
    const chosen = [field(type, depth)];
    for (let count = pick(5); count > 0; count--) {
      const way = pick(10);
      const known = chosen[pick(chosen.length)] as string;
      if (way < 5) chosen.push(`${field(type, depth)}`);
      else if (way < 7) chosen.push(spread(type) ?? field(type, depth));
      else if (way === 7) chosen.push(`...${narrowed(type, depth)}`);
      else if (way === 8) chosen.push(`... { ${known} }`);
      else chosen.push(known);
    }
    return `{ ${chosen.join(' ')} }`;
  }

  function field(type: GraphQLNamedType, depth: number): string {
    const fields = isObjectType(type) || isAbstractType(type) ? fieldsOf(type) : [];
    const usable = fields.filter((one) => {
      const answered = getNamedType(one.type);
      return (
        kit.has(one) && (depth < MOST_DEPTH || !isCompositeType(answered)) && (abstract || !isAbstractType(answered))
      );
    });
    const chosen = usable[pick(usable.length + 1)];
    if (chosen === undefined) return `__typename${condition()}`;
    const alias = pick(4) === 3 ? ALIASES[pick(ALIASES.length)] : undefined;
    if (alias !== undefined && !namesOfAliases.has(alias)) namesOfAliases.set(alias, chosen.name);
    const key = alias !== undefined && namesOfAliases.get(alias) === chosen.name ? `${alias}: ` : '';
    const place = `${key}${chosen.name}`;
    // Where a key is selected again, it has to have the same arguments.
    const asBefore = `${place} ${chosen.args.map(({ name, type }) => `${name}: ${type}`)}`;
    const given = argumentsOfKeys.get(asBefore) ?? argumentsOf(chosen);
    argumentsOfKeys.set(asBefore, given);
    const answered = getNamedType(chosen.type);
    const within = isCompositeType(answered) ? ` ${selections(answered, depth + 1)}` : '';
    return `${place}${given}${condition()}${within}`;
  }

  function spread(type: GraphQLNamedType): string | undefined {
    const fitting = fragments.filter((fragment) => overlap(schema, fragment.type, type));
    const chosen = fitting[pick(fitting.length + 1)];
    return chosen && `...${chosen.name}${condition()}`;
  }

  function narrowed(type: GraphQLNamedType, depth: number): string {
    const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
    const chosen = possible[pick(possible.length)] as GraphQLNamedType;
    const isNamed = chosen !== type || pick(2) === 1;
    return `${isNamed ? ` on ${chosen.name}` : ''}${condition()} ${selections(chosen, depth)}`;
  }

  function condition(): string {
    if (conditional === 0 || pick(conditional) > 0) return '';
    const [one, other] = [FLAGS[pick(FLAGS.length)], FLAGS[pick(FLAGS.length)]];
    return [` @include(if: ${one})`, ` @skip(if: ${one})`, ` @include(if: ${one}) @skip(if: ${other})`][pick(3)] ?? '';
  }

  function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
    const given = args.flatMap((arg) => {
      const isNeeded = isNonNullType(arg.type) && arg.defaultValue === undefined;
      if (!kit.has(arg) || (!isNeeded && pick(2) === 0)) return [];
      if (tame && kit.exotic.has(getNamedType(arg.type).name)) return [`${arg.name}: ${variable(arg.type, false)}`];
      return [`${arg.name}: ${value(arg.type, arg.defaultValue !== undefined)}`];
    });
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  /** As it is written; often a variable. */
  function value(type: GraphQLInputType, hasDefault: boolean): string {
    if (withVariables && mayVary && pick(3) === 2) return variable(type, hasDefault);
    if (isNonNullType(type)) return literal(type.ofType);
    return pick(10) === 9 ? 'null' : literal(type);
  }

  function literal(type: GraphQLInputType): string {
    if (isNonNullType(type)) return literal(type.ofType);
    if (isListType(type)) {
      if (pick(5) === 4) return literal(type.ofType);
      return `[${[...Array(pick(3)).keys()].map(() => value(type.ofType, false)).join(', ')}]`;
    }
    if (isEnumType(type)) return type.getValues()[tame ? 0 : pick(type.getValues().length)]?.name ?? 'null';
    if (!isInputObjectType(type)) return leaf(type)[0];
    const all = Object.values(type.getFields());
    if (type.isOneOf) return `{ ${all[0]?.name}: ${literal(all[0]?.type as GraphQLInputType)} }`;
    const fields = all.flatMap((one) => {
      const isNeeded = isNonNullType(one.type) && one.defaultValue === undefined;
      if (!isNeeded && (pick(2) === 0 || (tame && kit.exotic.has(getNamedType(one.type).name)))) return [];
      const write = () => value(one.type, one.defaultValue !== undefined);
      return [`${one.name}: ${tame ? plain(write) : write()}`];
    });
    return `{ ${fields.join(', ')} }`;
  }

  function variable(type: GraphQLInputType, hasDefault: boolean): string {
    const name = `${VARIABLES[pick(tame ? 10 : VARIABLES.length)]}${pick(4) === 0 ? '' : variables.size}`;
    if (variables.has(name)) return `$${name}`;
    const nullable = isNonNullType(type) ? type.ofType : type;
    const mustBe = isNonNullType(type) && !hasDefault && pick(3) > 0;
    if (mustBe || pick(5) === 4) {
      const isDefaulting = !tame && pick(4) === 3;
      setVariable(name, `${nullable}!${isDefaulting ? ` = ${plain(() => literal(nullable))}` : ''}`, json(nullable));
      return `$${name}`;
    }
    const needsDefault = isNonNullType(type) && !hasDefault;
    const definition =
      needsDefault || pick(2) === 1 ? `${nullable} = ${plain(() => literal(nullable))}` : `${nullable}`;
    setVariable(name, definition, [json(nullable), undefined, null][pick(3)]);
    return `$${name}`;
  }

  /** Without variables, as defaults are. */
  function plain(write: () => string): string {
    const before = mayVary;
    mayVary = false;
    const text = write();
    mayVary = before;
    return text;
  }

  function json(type: GraphQLInputType): unknown {
    if (isNonNullType(type)) return json(type.ofType);
    if (pick(40) === 39) return { no: 'thing' };
    if (isListType(type)) {
      const one = () => (isNonNullType(type.ofType) || pick(5) < 4 ? json(type.ofType) : null);
      return pick(5) === 4 ? json(type.ofType) : [...Array(pick(3)).keys()].map(one);
    }
    if (isEnumType(type)) return type.getValues()[pick(type.getValues().length)]?.name;
    if (!isInputObjectType(type)) return leaf(type)[1];
    const fields = Object.values(type.getFields()).flatMap((one): [string, unknown][] => {
      const isNeeded = isNonNullType(one.type) && one.defaultValue === undefined;
      return isNeeded || pick(2) === 1 ? [[one.name, json(one.type)]] : [];
    });
    return Object.fromEntries(fields);
  }

  function leaf(type: GraphQLInputType): readonly [literal: string, value: unknown] {
    const values = kit.leaves[getNamedType(type).name];
    if (values === undefined) throw new Error(`There is no value of ${type}.`);
    return values[pick(tame ? 2 : values.length)] ?? ['null', null];
  }

  function setVariable(name: string, definition: string, given: unknown): void {
    variables.set(name, { definition, value: given });
  }
}

function fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  return 'getFields' in type ? (Object.values(type.getFields()) as GraphQLField<unknown, unknown>[]) : [];
}

function overlap(schema: GraphQLSchema, one: GraphQLNamedType, other: GraphQLNamedType): boolean {
  const possible = (type: GraphQLNamedType): readonly GraphQLNamedType[] =>
    isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return possible(one).some((type) => possible(other).includes(type));
}

/** The fragments that a text spreads, and those that they spread. */
function withFragments<F extends { readonly name: string; readonly text: string }>(
  text: string,
  all: readonly F[],
): F[] {
  const found = new Set<F>();
  const look = (within: string) => {
    for (const [, name] of within.matchAll(/\.\.\.(F\d+)/g)) {
      const fragment = all.find((one) => one.name === name);
      if (fragment === undefined || found.has(fragment)) continue;
      found.add(fragment);
      look(fragment.text);
    }
  };
  look(text);
  return [...found];
}

/** A document with its variables, as a report has it. */
export function describeAsked({ text, operations, day }: Asked): string {
  return `${text}\n${stringifyJson(operations)} on day ${day}`;
}
