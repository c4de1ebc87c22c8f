import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { stringifyJson } from '../../src/engine/json.ts';
import { type Kit, type Pick, valueWriter } from './document-values.ts';

/** A valid document, and how to run it. */
export interface Asked {
  readonly text: string;
  /** The operations to run, one after another. */
  readonly operations: readonly { readonly name: string; readonly variables: Readonly<Record<string, unknown>> }[];
  /** A seed for everything else that is random. */
  readonly day: number;
}

const MAX_DEPTH = 5;
const FRAGMENTS = 4;
const ALIASES = [
  ...'abcd',
  'a_a',
  'a_b',
  'b_a',
  'idx0',
  'then',
  'constructor',
  'toString',
  'index',
  'name',
  '__proto__',
];
/** Aliases whose joined paths easily collide. */
const JOINED = ['a', 'a_a'];
const CONDITIONS = / @(include|skip)\(if: [^)]*\)/g;
type Way = 'field' | 'spread' | 'inline' | 'within' | 'known' | 'twin';
const WAYS: readonly Way[] = [...Array<Way>(5).fill('field'), 'spread', 'spread', 'inline', 'within', 'known', 'twin'];
const SPREADING: readonly Way[] = ['field', 'spread', 'spread', 'spread', 'inline', 'twin'];
const FLAGS = ['$is', '$not', '$may', 'true', 'false'];

/** Documents with many fragment spreads, conditions, aliases, variables and defaults. */
export function documentsFor(kit: Kit): fc.Arbitrary<Asked> {
  // The seed is drawn first: fc.gen() alone would repeat the same values for each invalid document.
  return fc
    .tuple(fc.nat(999), fc.gen())
    .map(([day, generate]) => writeDocument(kit, day, (below) => generate(fc.nat, below - 1)))
    .filter(({ text }) => validate(kit.schema, parse(text)).length === 0);
}

interface Written {
  readonly name: string;
  readonly kind: OperationTypeNode;
  readonly selections: string;
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

function writeDocument(kit: Kit, day: number, pick: Pick): Asked {
  const { schema, kinds } = kit;
  const fragments: { readonly name: string; readonly type: GraphQLNamedType; readonly text: string }[] = [];
  const argumentsOfKeys = new Map<string, string>();
  const namesOfAliases = new Map<string, string>();
  const aliases = pick(8) === 7 ? JOINED : ALIASES;
  let twins = 0;
  // Most documents have no conditions, or no abstract types, because one with both is never compiled.
  const abstract = pick(4) === 3;
  // Some documents are about fragments, and have conditions on spreads only.
  const isSpreading = pick(3) === 2;
  const conditional = isSpreading ? 3 : ([0, 0, 6, 3][pick(4)] as number);
  const { variables, setVariable, argumentsOf } = valueWriter(kit, pick);
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && (isObjectType(type) || (abstract && isAbstractType(type))),
  );
  for (const flag of ['is', 'not']) setVariable(flag, 'Boolean!', pick(2) === 1);
  setVariable('may', `Boolean = ${pick(2) === 1}`, [undefined, true, false, null][pick(4)]);
  // Few types, so that fragments are spread in many places.
  const near = isSpreading ? nearRoot(schema).filter((type) => types.includes(type)) : types;
  const some = [near[pick(near.length)], near[pick(near.length)]] as readonly GraphQLNamedType[];
  for (let count = pick(FRAGMENTS + 1); count > 0; count--) {
    const type = some[pick(2)] as GraphQLNamedType;
    fragments.unshift({ name: `F${count}`, type, text: `on ${type.name} ${selections(type, 2)}` });
  }
  const operations = [writeOperation('O0')];
  // A second operation shares fragments, and often differs only in its conditions.
  if (pick(8) === 7) operations.push(writeOperation('O1', pick(2) === 1 ? operations[0] : undefined));
  const written = operations.map(({ text }) => text).join(' ');
  const used = withFragments(written, fragments);
  return {
    text: [written, ...used.map(({ name, text }) => `fragment ${name} ${text}`)].join(' '),
    operations: operations.map(({ name, variables }) => ({ name, variables })),
    day,
  };

  function writeOperation(name: string, twin?: Written): Written {
    const kind = twin?.kind ?? (kinds[pick(kinds.length)] as OperationTypeNode);
    const root = schema.getRootType(kind) as GraphQLNamedType;
    // Most mutations have one change, because only those are compiled.
    const isSingle = kind === OperationTypeNode.MUTATION && pick(3) > 0;
    const own = isSingle ? `{ ${field(root, 1)} }` : selections(root, 1);
    const text = twin?.selections.replaceAll(CONDITIONS, '') ?? own;
    const whole = [text, ...withFragments(text, fragments).map((fragment) => fragment.text)].join(' ');
    const used = [...variables].filter(([variable]) => new RegExp(`\\$${variable}\\b`).test(whole));
    const definitions = used.map(([variable, { definition }]) => `$${variable}: ${definition}`);
    const given = used.filter(([, { value }]) => value !== undefined).map(([variable, { value }]) => [variable, value]);
    return {
      name,
      kind,
      selections: text,
      text: `${kind} ${name}${definitions.length === 0 ? '' : `(${definitions.join(', ')})`} ${text}`,
      variables: Object.fromEntries(given) as Record<string, unknown>,
    };
  }

  function selections(type: GraphQLNamedType, depth: number): string {
    const chosen = [field(type, depth)];
    const ways = isSpreading ? SPREADING : WAYS;
    for (let count = pick(5); count > 0; count--) {
      const known = chosen[pick(chosen.length)] as string;
      chosen.push(selection(ways[pick(ways.length)] ?? 'field', known, type, depth));
    }
    return `{ ${chosen.join(' ')} }`;
  }

  function selection(way: Way, known: string, type: GraphQLNamedType, depth: number): string {
    if (way === 'known') return known;
    if (way === 'within') return `... { ${known} }`;
    if (way === 'twin') return twinOf(known);
    if (way === 'inline') return `...${narrowed(type, depth)}`;
    return (way === 'spread' ? spread(type) : undefined) ?? field(type, depth);
  }

  /** The same selection in another place, without conditions except for those in fragments. */
  function twinOf(known: string): string {
    const bare = known.replaceAll(CONDITIONS, '');
    return /^\w+ *[({]/.test(bare) ? `${ALIASES[pick(ALIASES.length)]}${++twins}: ${bare}` : bare;
  }

  function field(type: GraphQLNamedType, depth: number): string {
    const fields = isObjectType(type) || isAbstractType(type) ? fieldsOf(type) : [];
    const usable = fields.filter((one) => {
      const answered = getNamedType(one.type);
      const isShallow = depth < (isSpreading ? MAX_DEPTH - 2 : MAX_DEPTH);
      return kit.has(one) && (isShallow || !isCompositeType(answered)) && (abstract || !isAbstractType(answered));
    });
    const spreading = usable.filter((one) => fragments.some((fragment) => fragment.type === getNamedType(one.type)));
    const wanted = spreading.length > 0 && pick(isSpreading ? 2 : 3) > 0 ? spreading : usable;
    const chosen = wanted[pick(wanted.length + 1)];
    const name = chosen?.name ?? '__typename';
    const place = aliased(type, name);
    const wanting = isSpreading ? '' : condition();
    if (chosen === undefined) return `${place}${wanting}`;
    // A key that is selected again needs the same arguments.
    const asBefore = `${place} ${chosen.args.map(({ name, type }) => `${name}: ${type}`)}`;
    const given = argumentsOfKeys.get(asBefore) ?? argumentsOf(chosen);
    argumentsOfKeys.set(asBefore, given);
    const answered = getNamedType(chosen.type);
    const within = isCompositeType(answered) ? ` ${selections(answered, depth + 1)}` : '';
    return `${place}${given}${wanting}${within}`;
  }

  /** Sometimes with an alias; each alias belongs to one field of a type. */
  function aliased(type: GraphQLNamedType, name: string): string {
    if (pick(aliases === JOINED ? 2 : 4) === 0 || (aliases !== JOINED && pick(3) > 0)) return name;
    const alias = aliases[pick(aliases.length)] ?? name;
    const key = `${type.name}.${alias}`;
    const known = namesOfAliases.get(key) ?? name;
    namesOfAliases.set(key, known);
    return known === name ? `${alias}: ${name}` : name;
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
}

/** The types of root fields. */
function nearRoot(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const root = schema.getQueryType();
  return root == null ? [] : [root, ...fieldsOf(root).map(({ type }) => getNamedType(type))];
}

function fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  return 'getFields' in type ? (Object.values(type.getFields()) as GraphQLField<unknown, unknown>[]) : [];
}

function overlap(schema: GraphQLSchema, one: GraphQLNamedType, other: GraphQLNamedType): boolean {
  const possible = (type: GraphQLNamedType): readonly GraphQLNamedType[] =>
    isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return possible(one).some((type) => possible(other).includes(type));
}

/** The fragments that a text spreads, and those that these spread. */
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

/** A document with its variables, for a report. */
export function describeAsked({ text, operations, day }: Asked): string {
  return `${text}\n${stringifyJson(operations)} on day ${day}`;
}
