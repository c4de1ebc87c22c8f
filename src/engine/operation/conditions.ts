import { type FieldNode, type FragmentSpreadNode, type InlineFragmentNode, Kind, print, type ValueNode } from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/** What `@skip` and `@include` may stand at. */
type Conditional = FieldNode | FragmentSpreadNode | InlineFragmentNode;

/** What has to hold for something to be used; the same text means the same. */
export interface Condition {
  readonly text: string;
  /** The variable that decides it, if one does. */
  readonly variable: string | undefined;
  /** With these variables, as they came. */
  holds(variables: Variables): boolean;
}

/**
 * What `@skip` and `@include` ask for, all of which has to hold. The document has to be valid.
 *
 * @param defaults those of the operation's variables that have one
 */
export function conditionsOf({ directives = [] }: Conditional, defaults: ReadonlyMap<string, unknown>): Condition[] {
  return directives.flatMap(({ name, arguments: [given] = [] }) => {
    if (given === undefined || (name.value !== 'skip' && name.value !== 'include')) return [];
    const isWanted = name.value === 'include';
    const holds = (variables: Variables) => isTrue(given.value, variables, defaults) === isWanted;
    const variable = given.value.kind === Kind.VARIABLE ? given.value.name.value : undefined;
    return [{ text: `${isWanted} ${print(given.value)}`, variable, holds }];
  });
}

/** The ways to a field, each with what has to hold for it. */
type Ways = Iterable<readonly Condition[]>;

/** Whether a field is answered with these variables, as they came. */
export function isOpen(ways: Ways, variables: Variables): boolean {
  for (const conditions of ways) if (conditions.every(({ holds }) => holds(variables))) return true;
  return false;
}

/** Whether it is whatever the variables are. */
export function isAlwaysOpen(ways: Ways): boolean {
  for (const conditions of ways) if (conditions.length === 0) return true;
  return false;
}

function isTrue(value: ValueNode, variables: Variables, defaults: ReadonlyMap<string, unknown>): boolean {
  if (value.kind !== Kind.VARIABLE) return value.kind === Kind.BOOLEAN && value.value;
  const name = value.name.value;
  return (Object.hasOwn(variables, name) ? variables[name] : defaults.get(name)) === true;
}
