import {
  type FieldNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;
/** The values of the variables that have a default, by their names. */
type Defaults = ReadonlyMap<string, unknown>;

/** What `@skip` and `@include` may stand at. */
export type Conditional = FieldNode | FragmentSpreadNode | InlineFragmentNode;

/** What has to hold for something to be used; the same text means the same. */
export interface Condition {
  readonly text: string;
  /** With these variables, as they came. */
  holds(variables: Variables): boolean;
}

/** The defaults of an operation's variables. */
export function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Defaults {
  return new Map(
    variableDefinitions.flatMap(({ variable, defaultValue }): [string, unknown][] =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );
}

/** What `@skip` and `@include` ask for, all of which has to hold. The document has to be valid. */
export function conditionsOf({ directives = [] }: Conditional, defaults: Defaults): Condition[] {
  return directives.flatMap(({ name, arguments: [given] = [] }) => {
    if (given === undefined || (name.value !== 'skip' && name.value !== 'include')) return [];
    const isWanted = name.value === 'include';
    const holds = (variables: Variables) => isTrue(given.value, variables, defaults) === isWanted;
    return [{ text: `${isWanted} ${print(given.value)}`, holds }];
  });
}

function isTrue(value: ValueNode, variables: Variables, defaults: Defaults): boolean {
  if (value.kind !== Kind.VARIABLE) return value.kind === Kind.BOOLEAN && value.value;
  const name = value.name.value;
  return (variables[name] === undefined ? defaults.get(name) : variables[name]) === true;
}
