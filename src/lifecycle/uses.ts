import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Markable, type Marked, markedIn } from './marked.ts';

type Variables = Readonly<Record<string, unknown>>;

/** What an operation uses of what is marked. */
export interface OperationUses {
  /** By its text alone, whatever the variables are. */
  readonly always: readonly Marked[];
  /** By its text and these variables; undefined where variables make no difference. */
  readonly given: ((variables: Variables) => readonly Marked[]) | undefined;
}

/** Finds what operations use of what is marked. */
export type UseFinder = (document: DocumentNode, operationName: string | undefined) => OperationUses;

type Collect = (variables: Variables, found: Set<Marked>) => void;

/**
 * Makes the finder for a schema. It sees fields, arguments, input fields and enum values, in fragments and under
 * aliases; in literals and defaults by the text, in variables by their values. Documents have to be valid.
 */
export function useFinder(schema: GraphQLSchema): UseFinder {
  const marked = new Map<Markable, Marked>(markedIn(schema).map((one) => [one.element, one]));
  const bearsMarks = inputsWithMarks(marked);

  return (document, operationName) => {
    const operation = getOperationAST(document, operationName);
    if (marked.size === 0 || operation == null) return { always: [], given: undefined };
    const always = new Set<Marked>();
    const dependent: Collect[] = variableCollectors(operation);
    const types = new TypeInfo(schema);
    const look = (element: Markable | null | undefined) => add(element, always);
    const lookAtInput = (element: Markable | null | undefined, value: { kind: Kind; name?: { value: string } }) => {
      const one = element == null ? undefined : marked.get(element);
      const variable = value.kind === Kind.VARIABLE ? value.name?.value : undefined;
      if (one === undefined) return;
      if (variable === undefined || hasDefault(operation, variable)) always.add(one);
      else dependent.push((variables, found) => variables[variable] !== undefined && found.add(one));
    };
    const seen = new Set<string>();
    const inside = visitWithTypeInfo(types, {
      [Kind.FIELD]: () => look(types.getFieldDef()),
      [Kind.ARGUMENT]: ({ value }) => lookAtInput(types.getArgument(), value),
      [Kind.ENUM]: () => look(types.getEnumValue()),
      [Kind.OBJECT_FIELD]: ({ name, value }) => {
        const type = getNamedType(types.getParentInputType());
        lookAtInput(isInputObjectType(type) ? type.getFields()[name.value] : undefined, value);
      },
      [Kind.FRAGMENT_SPREAD]: ({ name }) => {
        seen.add(name.value);
      },
    });
    visit(operation, inside);
    // Whatever spreads add while it is walked is walked too; a fragment that no operation reaches is not.
    for (const name of seen) {
      const fragment = document.definitions.find(
        (node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
      );
      if (fragment !== undefined) visit(fragment, inside);
    }
    const given = (variables: Variables) => {
      const found = new Set(always);
      for (const collect of dependent) collect(variables, found);
      return found.size === always.size ? fixed : [...found];
    };
    const fixed = [...always];
    return { always: fixed, given: dependent.length === 0 ? undefined : given };
  };

  /** For each variable whose type holds something marked, looks through its value. */
  function variableCollectors({ variableDefinitions = [] }: OperationDefinitionNode): Collect[] {
    return variableDefinitions.flatMap(({ variable, type: node }): Collect[] => {
      const type = typeFromAST(schema, node) as GraphQLInputType | undefined;
      if (type === undefined || !bearsMarks(type)) return [];
      return [(variables, found) => walk(type, variables[variable.name.value], found)];
    });
  }

  function walk(given: GraphQLInputType, value: unknown, found: Set<Marked>): void {
    const type = getNullableType(given);
    if (value == null || !bearsMarks(type)) return;
    if (isListType(type)) {
      for (const item of Array.isArray(value) ? value : [value]) walk(type.ofType, item, found);
    } else if (isEnumType(type)) {
      add(type.getValue(String(value)), found);
    } else if (isInputObjectType(type)) {
      for (const [name, inner] of Object.entries(value)) {
        const field = type.getFields()[name];
        if (field === undefined || inner === undefined) continue;
        add(field, found);
        walk(field.type, inner, found);
      }
    }
  }

  function add(element: Markable | null | undefined, found: Set<Marked>): void {
    const one = element == null ? undefined : marked.get(element);
    if (one !== undefined) found.add(one);
  }
}

function hasDefault({ variableDefinitions = [] }: OperationDefinitionNode, name: string): boolean {
  return variableDefinitions.some(({ variable, defaultValue }) => variable.name.value === name && defaultValue != null);
}

/** Whether a value of an input type can hold anything that is marked; each type is looked through once. */
function inputsWithMarks(marked: ReadonlyMap<Markable, Marked>): (type: GraphQLInputType) => boolean {
  const known = new Map<string, boolean>();
  return (type) => {
    const { name } = getNamedType(type);
    const before = known.get(name);
    if (before !== undefined) return before;
    const within = reachable(type);
    const bears = within.some((element) => marked.has(element));
    known.set(name, bears);
    return bears;
  };
}

/** All input fields and enum values that a value of the type can hold. */
function reachable(type: GraphQLInputType, seen = new Set<string>()): Markable[] {
  const named = getNamedType(type);
  if (seen.has(named.name)) return [];
  seen.add(named.name);
  if (isEnumType(named)) return [...named.getValues()];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) => [field, ...reachable(field.type, seen)]);
}
