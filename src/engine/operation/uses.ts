import {
  type FieldNode,
  type GraphQLEnumValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';
import { type Annotatable, type Annotated, annotatedIn } from '../lifecycle/annotated.ts';
import type { Condition } from './conditions.ts';
import type { OperationUses, Variables } from './prepared.ts';
import type { SelectedField, Selection } from './selection.ts';

/** What `@skip` and `@include` leave out is not used. */
export type UseFinder = (selection: Selection) => OperationUses;

const NONE: readonly Annotated[] = [];

type Collect = (variables: Variables, found: Set<Annotated>) => void;

/** Stands in the value of an argument for a variable, whose own value is walked once for all arguments that take it. */
class VariablePlaceholder {
  /** The condition that the variable is given: an argument or a field whose variable is absent counts as not given. */
  readonly conditions: readonly Condition[];

  constructor(conditions: readonly Condition[]) {
    this.conditions = conditions;
  }
}

export function useFinder(schema: GraphQLSchema): UseFinder {
  const annotated = new Map<Annotatable, Annotated>(annotatedIn(schema).map((one) => [one.element, one]));
  const addTo = (found: Set<Annotated>) => (element: Annotatable) => {
    const one = annotated.get(element);
    if (one !== undefined) found.add(one);
  };

  return ({ variableDefinitions, fields, defaults }) => {
    const always = new Set<Annotated>();
    /** By coordinate and conditions, so that each occurs once. */
    const dependent = new Map<string, Collect>();
    const placeholders: Record<string, VariablePlaceholder> = Object.create(null);

    const addUse = (element: Annotatable, conditions: readonly Condition[]) => {
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
    for (const { variable, type: ofVariable } of variableDefinitions) {
      const name = variable.name.value;
      const fallback = defaults.get(name);
      const isGiven = { text: `given ${name}`, holds: (variables: Variables) => Object.hasOwn(variables, name) };
      placeholders[name] = new VariablePlaceholder(fallback === undefined ? [isGiven] : []);
      const type = typeFromAST(schema, ofVariable) as GraphQLInputType;
      if (!reachable(type).some((element) => annotated.has(element))) continue;
      dependent.set(`$${name}`, (variables, found) => {
        walk(type, isGiven.holds(variables) ? variables[name] : fallback, addTo(found));
      });
    }

    const ofArguments = new Map<FieldNode, ReturnType<typeof usesOfArguments>>();
    for (const selected of fields) {
      const { node, field, conditions } = selected;
      addUse(field, conditions);
      const own = ofArguments.get(node) ?? usesOfArguments(selected, placeholders);
      ofArguments.set(node, own);
      for (const [element, given] of own) addUse(element, [...conditions, ...given]);
    }

    const collects = [...dependent.values()];
    return {
      always: [...always],
      given(variables) {
        if (collects.length === 0) return NONE;
        const found = new Set<Annotated>();
        for (const collect of collects) collect(variables, found);
        return [...found].filter((one) => !always.has(one));
      },
    };
  };

  function usesOfArguments({ node, field }: SelectedField, variables: Readonly<Record<string, unknown>>) {
    const found = new Map<string, readonly [Annotatable, readonly Condition[]]>();
    const add = (element: Annotatable, given: readonly Condition[]) => {
      const one = annotated.get(element);
      if (one !== undefined) found.set([one.coordinate, ...given.map(({ text }) => text)].join('\n'), [element, given]);
    };
    for (const { name, value } of node.arguments ?? []) {
      const argument = field.args.find((one) => one.name === name.value);
      if (argument !== undefined) walkElement(argument, valueFromASTUntyped(value, variables), add);
    }
    return [...found.values()];
  }
}

type Use = (element: Annotatable, conditions: readonly Condition[]) => void;

/** Calls `use` for the field or argument that a value is given for, and for all elements in the value. */
function walkElement(element: Annotatable & { readonly type: GraphQLInputType }, value: unknown, use: Use): void {
  use(element, value instanceof VariablePlaceholder ? value.conditions : []);
  walk(element.type, value, use);
}

/** Calls `use` for all elements in a value as the client sent it; parts that do not match the type are ignored. */
function walk(given: GraphQLInputType, value: unknown, use: Use): void {
  const type = getNullableType(given);
  if (value == null || value instanceof VariablePlaceholder) return;
  if (isListType(type)) {
    for (const item of Array.isArray(value) ? value : [value]) walk(type.ofType, item, use);
  } else if (isEnumType(type)) {
    const one = typeof value === 'string' ? type.getValue(value) : undefined;
    if (one != null) use(one, []);
  } else if (isInputObjectType(type) && typeof value === 'object') {
    walkFields(type, value as Readonly<Record<string, unknown>>, use);
  }
}

/** Iterates over the type's fields, not over the value's, which may be very many. */
function walkFields(type: GraphQLInputObjectType, value: Readonly<Record<string, unknown>>, use: Use): void {
  for (const field of Object.values(type.getFields())) {
    if (Object.hasOwn(value, field.name)) walkElement(field, value[field.name], use);
  }
}

/** The elements that values of a type can use. */
export function reachable(
  type: GraphQLInputType,
  seen = new Set<string>(),
): readonly (GraphQLEnumValue | GraphQLInputField)[] {
  const named = getNamedType(type);
  if (seen.has(named.name)) return [];
  seen.add(named.name);
  if (isEnumType(named)) return named.getValues();
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) => [field, ...reachable(field.type, seen)]);
}
