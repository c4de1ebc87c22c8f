import {
  type FieldNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  Kind,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Annotatable, type Annotated, annotatedIn } from '../lifecycle/annotated.ts';
import type { Condition } from './conditions.ts';
import type { OperationUses, Variables } from './prepared.ts';
import type { SelectedField, Selection } from './selection.ts';

/** What `@skip` and `@include` leave out is not used. */
export type UseFinder = (selection: Selection) => OperationUses;

type Collect = (variables: Variables, found: Set<Annotated>) => void;

/** @param defaults whether the default of a variable counts as a use. In REST it is the route's, not the client's */
export function useFinder(schema: GraphQLSchema, defaults: 'count' | 'ignore' = 'count'): UseFinder {
  const annotated = new Map<Annotatable, Annotated>(annotatedIn(schema).map((one) => [one.element, one]));
  const walker = inputWalker(annotated);

  return ({ operation, fields, defaults: defaultOf }) => {
    if (annotated.size === 0) return { always: [], given: undefined };
    const always = new Set<Annotated>();
    /** By coordinate and conditions, so that each occurs once. */
    const dependent = new Map<string, Collect>();

    const note = (element: Annotatable, conditions: readonly Condition[]) => {
      const one = annotated.get(element);
      if (one === undefined) return;
      if (conditions.length === 0) {
        always.add(one);
        return;
      }
      const texts = new Set(conditions.map(({ text }) => text));
      dependent.set([one.coordinate, ...[...texts].sort()].join('\n'), (variables, found) => {
        if (conditions.every(({ holds }) => holds(variables))) found.add(one);
      });
    };

    // A value is walked once, however many fields take it: it may be long.
    for (const { variable, type } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      const walk = walker(typeFromAST(schema, type) as GraphQLInputType);
      const fallback = defaults === 'count' ? defaultOf.get(name) : undefined;
      if (walk === undefined) continue;
      dependent.set(`$${name}`, (variables, found) =>
        walk(variables[name] === undefined ? fallback : variables[name], found),
      );
    }

    const ofArguments = new Map<FieldNode, ReturnType<typeof usesOfArguments>>();
    for (const selected of fields) {
      const { node, field, conditions } = selected;
      note(field, conditions);
      if (!node.arguments?.length) continue;
      const own = ofArguments.get(node) ?? usesOfArguments(selected);
      ofArguments.set(node, own);
      for (const [element, given] of own) note(element, [...conditions, ...given]);
    }

    function usesOfArguments({ node: { kind, name, arguments: given = [] }, parent }: SelectedField) {
      const found = new Map<string, [Annotatable, readonly Condition[]]>();
      const add = (element: Annotatable | null | undefined, own: readonly Condition[]) => {
        const one = element == null ? undefined : annotated.get(element);
        if (one === undefined) return;
        found.set([one.coordinate, ...own.map(({ text }) => text)].join('\n'), [one.element, own]);
      };
      const types = new TypeInfo(schema, parent);
      const visitor = visitWithTypeInfo(types, {
        Argument: ({ value }) => add(types.getArgument(), ifGiven(value)),
        ObjectField: ({ name, value }) => {
          const type = getNamedType(types.getParentInputType());
          if (isInputObjectType(type)) add(type.getFields()[name.value], ifGiven(value));
        },
        EnumValue: () => add(types.getEnumValue(), []),
      });
      visit({ kind, name, arguments: given }, visitor);
      return [...found.values()];
    }

    /** An argument whose variable is absent counts as not given. */
    function ifGiven(value: ValueNode): Condition[] {
      const variable = value.kind === Kind.VARIABLE ? value.name.value : undefined;
      if (variable === undefined || (defaults === 'count' && defaultOf.has(variable))) return [];
      return [{ text: `given ${variable}`, holds: (variables) => variables[variable] !== undefined }];
    }

    const collects = [...dependent.values()];
    const given = (variables: Variables) => {
      const found = new Set<Annotated>();
      for (const collect of collects) collect(variables, found);
      return [...found].filter((one) => !always.has(one));
    };
    return { always: [...always], given: collects.length === 0 ? undefined : given };
  };
}

/** Adds the annotated elements in a value as the client sent it; parts that do not match the type are ignored. */
type Walk = (value: unknown, found: Set<Annotated>) => void;

/** Creates the walks through values of input types; undefined for a type whose values can use no annotated element. */
function inputWalker(annotated: ReadonlyMap<Annotatable, Annotated>): (type: GraphQLInputType) => Walk | undefined {
  const cache = new Map<string, boolean>();
  return (type) => (isAnnotated(type) ? (value, found) => walk(type, value, found) : undefined);

  function walk(given: GraphQLInputType, value: unknown, found: Set<Annotated>): void {
    const type = getNullableType(given);
    if (value == null || !isAnnotated(type)) return;
    if (isListType(type)) {
      for (const item of Array.isArray(value) ? value : [value]) walk(type.ofType, item, found);
    } else if (isEnumType(type)) {
      if (typeof value === 'string') add(type.getValue(value), found);
    } else if (isInputObjectType(type) && typeof value === 'object') {
      // Iterates over the type's fields, not over the value's, which may be very many.
      for (const field of Object.values(type.getFields())) {
        if (!Object.hasOwn(value, field.name)) continue;
        add(field, found);
        walk(field.type, (value as Readonly<Record<string, unknown>>)[field.name], found);
      }
    }
  }

  function add(element: Annotatable | null | undefined, found: Set<Annotated>): void {
    const one = element == null ? undefined : annotated.get(element);
    if (one !== undefined) found.add(one);
  }

  function isAnnotated(type: GraphQLInputType): boolean {
    const { name } = getNamedType(type);
    const uses = cache.get(name) ?? reachable(type).some((element) => annotated.has(element));
    cache.set(name, uses);
    return uses;
  }
}

function reachable(type: GraphQLInputType, seen = new Set<string>()): Annotatable[] {
  const named = getNamedType(type);
  if (seen.has(named.name)) return [];
  seen.add(named.name);
  if (isEnumType(named)) return [...named.getValues()];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) => [field, ...reachable(field.type, seen)]);
}
