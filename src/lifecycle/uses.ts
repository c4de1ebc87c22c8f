import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  type InlineFragmentNode,
  isInputObjectType,
  Kind,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { inputWalker } from './input-uses.ts';
import { type Markable, type Marked, markedIn } from './marked.ts';

type Variables = Readonly<Record<string, unknown>>;

/** What an operation uses of what is marked. */
export interface OperationUses {
  /** By its text alone, whatever the variables are. */
  readonly always: readonly Marked[];
  /** By its text and these variables; undefined where variables make no difference. */
  readonly given: ((variables: Variables) => readonly Marked[]) | undefined;
}

/**
 * Finds what operations use of what is marked: fields, arguments, input fields and enum values, in fragments and under
 * aliases; what `@skip` and `@include` leave out is not used. Documents have to be valid and within the limits.
 */
export type UseFinder = (document: DocumentNode, operationName: string | undefined) => OperationUses;

type Collect = (variables: Variables, found: Set<Marked>) => void;
type Condition = (variables: Variables) => boolean;
type Conditional = FieldNode | FragmentSpreadNode | InlineFragmentNode;

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
    const always = new Set<Marked>();
    const dependent: Collect[] = [];
    const conditions: Condition[] = [];
    const defaultOf = new Map<string, unknown>();
    const fragments = new Map<string, FragmentDefinitionNode>();
    for (const node of document.definitions) {
      if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
    }
    for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      if (defaultValue !== undefined) defaultOf.set(name, valueFromASTUntyped(defaultValue));
      const walk = walker(typeFromAST(schema, node) as GraphQLInputType);
      const fallback = defaults === 'count' ? defaultOf.get(name) : undefined;
      if (walk !== undefined) {
        dependent.push((variables, found) => walk(variables[name] === undefined ? fallback : variables[name], found));
      }
    }

    const note = (element: Markable | null | undefined, isGiven?: Condition) => {
      const one = element == null ? undefined : marked.get(element);
      if (one === undefined) return;
      const all = isGiven === undefined ? [...conditions] : [...conditions, isGiven];
      if (all.length === 0) always.add(one);
      else dependent.push((variables, found) => all.every((holds) => holds(variables)) && found.add(one));
    };
    const noteInput = (element: Markable | null | undefined, value: ValueNode) => {
      const variable = value.kind === Kind.VARIABLE ? value.name.value : undefined;
      const isAlways = variable === undefined || (defaults === 'count' && defaultOf.has(variable));
      note(element, isAlways ? undefined : (variables) => variables[variable] !== undefined);
    };
    const enter = ({ directives = [] }: Conditional) => {
      for (const { name, arguments: [given] = [] } of directives) {
        if (name.value !== 'skip' && name.value !== 'include') continue;
        const isWanted = name.value === 'include';
        conditions.push((variables) => (given !== undefined && isTrue(given.value, variables)) === isWanted);
      }
    };
    const leave = ({ directives = [] }: Conditional) => {
      conditions.length -= directives.filter(({ name: { value } }) => value === 'skip' || value === 'include').length;
    };
    const isTrue = (value: ValueNode, variables: Variables): boolean => {
      if (value.kind !== Kind.VARIABLE) return value.kind === Kind.BOOLEAN && value.value;
      const name = value.name.value;
      return (variables[name] === undefined ? defaultOf.get(name) : variables[name]) === true;
    };

    const types = new TypeInfo(schema);
    const inside = visitWithTypeInfo(types, {
      [Kind.VARIABLE_DEFINITION]: () => false,
      [Kind.FIELD]: {
        enter: (node) => {
          enter(node);
          note(types.getFieldDef());
        },
        leave,
      },
      [Kind.INLINE_FRAGMENT]: { enter, leave },
      [Kind.FRAGMENT_SPREAD]: (node) => {
        enter(node);
        const fragment = fragments.get(node.name.value);
        if (fragment !== undefined) visit(fragment, inside);
        leave(node);
      },
      [Kind.ARGUMENT]: ({ value }) => noteInput(types.getArgument(), value),
      [Kind.ENUM]: () => note(types.getEnumValue()),
      [Kind.OBJECT_FIELD]: ({ name, value }) => {
        const type = getNamedType(types.getParentInputType());
        noteInput(isInputObjectType(type) ? type.getFields()[name.value] : undefined, value);
      },
    });
    visit(operation, inside);

    const fixed = [...always];
    const given = (variables: Variables) => {
      const found = new Set(always);
      for (const collect of dependent) collect(variables, found);
      return found.size === always.size ? fixed : [...found];
    };
    return { always: fixed, given: dependent.length === 0 ? undefined : given };
  };
}
