import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Condition, type Conditional, conditionsOf } from '../graphql/conditions.ts';
import { fragmentsOf } from '../graphql/fragments.ts';
import { inputWalker } from './input-uses.ts';
import { type Markable, type Marked, markedIn } from './marked.ts';

type Variables = Readonly<Record<string, unknown>>;

/** What an operation uses of what is marked. */
export interface OperationUses {
  /** By its text alone, whatever the variables are. */
  readonly always: readonly Marked[];
  /** By these variables, beside that; undefined where variables make no difference. */
  readonly given: ((variables: Variables) => readonly Marked[]) | undefined;
}

/**
 * Finds what operations use of what is marked: fields, arguments, input fields and enum values, in fragments and under
 * aliases; what `@skip` and `@include` leave out is not used. Documents have to be valid and within the limits.
 */
export type UseFinder = (document: DocumentNode, operationName: string | undefined) => OperationUses;

type Collect = (variables: Variables, found: Set<Marked>) => void;
interface Use {
  readonly one: Marked;
  /** All of which have to hold. */
  readonly conditions: readonly Condition[];
}

/** By the coordinate and the conditions, so that each is there once. */
type Uses = Map<string, Use>;

/**
 * Makes the finder for a schema.
 *
 * @param defaults whether the default of a variable is a use: not on REST, where it is the route's and not the client's
 */
export function useFinder(schema: GraphQLSchema, defaults: 'count' | 'ignore' = 'count'): UseFinder {
  const marked = new Map<Markable, Marked>(markedIn(schema).map((one) => [one.element, one]));
  const walker = inputWalker(marked);

  return (document, operationName) => {
    const operation = getOperationAST(document, operationName);
    if (marked.size === 0 || operation == null) return { always: [], given: undefined };
    const dependent: Collect[] = [];
    const defaultOf = new Map<string, unknown>();
    const fragments = fragmentsOf(document);
    for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      if (defaultValue !== undefined) defaultOf.set(name, valueFromASTUntyped(defaultValue));
      const walk = walker(typeFromAST(schema, node) as GraphQLInputType);
      const fallback = defaults === 'count' ? defaultOf.get(name) : undefined;
      if (walk !== undefined) {
        dependent.push((variables, found) => walk(variables[name] === undefined ? fallback : variables[name], found));
      }
    }

    /** Once for each fragment, however often it is spread: a document could have its nodes visited a million times. */
    const ofFragments = new Map<string, Uses>();
    const usesOfFragment = (name: string): Uses => {
      const fragment = fragments.get(name);
      const uses = ofFragments.get(name) ?? (fragment === undefined ? new Map() : usesWithin(fragment));
      ofFragments.set(name, uses);
      return uses;
    };

    const usesWithin = (whole: OperationDefinitionNode | FragmentDefinitionNode): Uses => {
      const uses = new Map<string, Use>();
      const around: Condition[] = [];
      const add = (one: Marked, conditions: readonly Condition[]) => {
        const all = new Map([...around, ...conditions].map((condition) => [condition.text, condition]));
        uses.set([one.coordinate, ...[...all.keys()].sort()].join('\n'), { one, conditions: [...all.values()] });
      };
      const note = (element: Markable | null | undefined, conditions: readonly Condition[] = []) => {
        const one = element == null ? undefined : marked.get(element);
        if (one !== undefined) add(one, conditions);
      };
      const noteInput = (element: Markable | null | undefined, value: ValueNode) => {
        const variable = value.kind === Kind.VARIABLE ? value.name.value : undefined;
        if (variable === undefined || (defaults === 'count' && defaultOf.has(variable))) note(element);
        else note(element, [{ text: `given ${variable}`, holds: (variables) => variables[variable] !== undefined }]);
      };
      const enter = (node: Conditional) => {
        around.push(...conditionsOf(node, defaultOf));
      };
      const leave = (node: Conditional) => {
        around.length -= conditionsOf(node, defaultOf).length;
      };
      const types = new TypeInfo(schema);
      const visitor = {
        [Kind.VARIABLE_DEFINITION]: () => false,
        [Kind.FIELD]: {
          enter: (node: FieldNode) => {
            enter(node);
            note(types.getFieldDef());
          },
          leave,
        },
        [Kind.INLINE_FRAGMENT]: { enter, leave },
        [Kind.FRAGMENT_SPREAD]: (node: FragmentSpreadNode) => {
          enter(node);
          for (const [text, use] of usesOfFragment(node.name.value)) {
            if (around.length === 0) uses.set(text, use);
            else add(use.one, use.conditions);
          }
          leave(node);
        },
        [Kind.ARGUMENT]: ({ value }: ArgumentNode) => noteInput(types.getArgument(), value),
        [Kind.ENUM]: () => note(types.getEnumValue()),
        [Kind.OBJECT_FIELD]: ({ name, value }: ObjectFieldNode) => {
          const type = getNamedType(types.getParentInputType());
          noteInput(isInputObjectType(type) ? type.getFields()[name.value] : undefined, value);
        },
      };
      visit(whole, visitWithTypeInfo(types, visitor));
      return uses;
    };

    const always = new Set<Marked>();
    for (const { one, conditions } of usesWithin(operation).values()) {
      if (conditions.length === 0) always.add(one);
      else dependent.push((variables, found) => conditions.every(({ holds }) => holds(variables)) && found.add(one));
    }
    const fixed = [...always];
    const given = (variables: Variables) => {
      const found = new Set<Marked>();
      for (const collect of dependent) collect(variables, found);
      return [...found].filter((one) => !always.has(one));
    };
    return { always: fixed, given: dependent.length === 0 ? undefined : given };
  };
}
