import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationTypeNode,
} from 'graphql';

/** A whole number from 0 up to below this; smaller numbers make simpler documents. */
export type Pick = (below: number) => number;

/** The ingredients of documents, beside their schema. */
export interface Kit {
  readonly schema: GraphQLSchema;
  readonly kinds: readonly OperationTypeNode[];
  /** Values of scalars, each as a literal and as a variable's value. */
  readonly leaves: Readonly<Record<string, readonly (readonly [literal: string, value: unknown])[]>>;
  /** Scalars with literals that JSON lacks: most documents use them only in variables. */
  readonly exotic: ReadonlySet<string>;
  /** Whether a field is selected, or an argument given. */
  has(element: GraphQLField<unknown, unknown> | GraphQLArgument): boolean;
}

/** A variable of a document. */
interface Variable {
  readonly definition: string;
  /** Undefined for an absent value. */
  readonly value: unknown;
}

const VARIABLES = [...'abcdefghijkl', 'constructor', 'toString', 'valueOf'];

/** Writes the values of one document, and collects its variables. */
export function valueWriter(kit: Kit, pick: Pick) {
  const variables = new Map<string, Variable>();
  // Most documents have values that can be compiled.
  const tame = pick(4) < 3;
  const withVariables = pick(3) > 0;
  let mayVary = true;
  return { variables: variables as ReadonlyMap<string, Variable>, setVariable, argumentsOf };

  /** The arguments of a field in parentheses; empty if none is given. */
  function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
    const given = args.flatMap((arg) => {
      const isNeeded = isNonNullType(arg.type) && arg.defaultValue === undefined;
      if (!kit.has(arg) || (!isNeeded && pick(2) === 0)) return [];
      if (tame && kit.exotic.has(getNamedType(arg.type).name)) return [`${arg.name}: ${variable(arg.type, false)}`];
      return [`${arg.name}: ${value(arg.type, arg.defaultValue !== undefined)}`];
    });
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  /** A literal or, often, a variable. */
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
    if (type.name === 'Json' && withVariables && mayVary && pick(3) === 2) return `{ in: [${variable(type, false)}] }`;
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
    const word = VARIABLES[pick(tame ? 10 : VARIABLES.length)] ?? '';
    const name = word.length > 1 || pick(4) === 0 ? word : `${word}${variables.size}`;
    if (variables.has(name)) return `$${name}`;
    const nullable = isNonNullType(type) ? type.ofType : type;
    const mustBe = isNonNullType(type) && !hasDefault && pick(3) > 0;
    if (mustBe || pick(5) === 4) {
      const isDefaulting = !tame && pick(4) === 3;
      setVariable(name, `${nullable}!${isDefaulting ? ` = ${plain(() => literal(nullable))}` : ''}`, json(nullable));
      return `$${name}`;
    }
    const needsDefault = isNonNullType(type) && !hasDefault;
    const isDefaulting = pick(2) === 1 && !(tame && kit.exotic.has(getNamedType(type).name));
    const isOptional = needsDefault || isDefaulting;
    const definition = isOptional ? `${nullable} = ${plain(() => literal(nullable))}` : `${nullable}`;
    setVariable(name, definition, [json(nullable), undefined, null][pick(3)]);
    return `$${name}`;
  }

  /** Without variables, as in defaults. */
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
