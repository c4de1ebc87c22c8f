import { BREAK, Kind, print, type SelectionNode, type ValueNode, visit } from 'graphql';
import type { Variables } from './prepared.ts';

/** A condition under which a node is included. Conditions with the same text are the same. */
export interface Condition {
  readonly text: string;
  /** @param variables as the client sent them */
  holds(variables: Variables): boolean;
}

/** The conditions that the `@skip` and `@include` of a node of a valid document set; all have to hold. */
export function conditionsOf({ directives = [] }: SelectionNode, defaults: ReadonlyMap<string, unknown>): Condition[] {
  return directives.flatMap(({ name, arguments: [given] = [] }) => {
    if (given === undefined || (name.value !== 'skip' && name.value !== 'include')) return [];
    const included = name.value === 'include';
    const holds = (variables: Variables) => isTrue(given.value, variables, defaults) === included;
    return [{ text: `${included} ${print(given.value)}`, holds }];
  });
}

/** Lists of conditions of which one must hold: a fragment's field has a list for each spread. */
type Alternatives = Iterable<readonly Condition[]>;

/** Whether a field is included with these variables, as the client sent them. */
export function isIncluded(alternatives: Alternatives, variables: Variables): boolean {
  for (const conditions of alternatives) if (conditions.every(({ holds }) => holds(variables))) return true;
  return false;
}

/** Whether a field is included with any variables. */
export function isAlwaysIncluded(alternatives: Alternatives): boolean {
  for (const conditions of alternatives) if (conditions.length === 0) return true;
  return false;
}

/** Whether a value contains a variable, or is one. */
export function hasVariable(value: ValueNode): boolean {
  let has = false;
  visit(value, {
    Variable: () => {
      has = true;
      return BREAK;
    },
  });
  return has;
}

function isTrue(value: ValueNode, variables: Variables, defaults: ReadonlyMap<string, unknown>): boolean {
  if (value.kind !== Kind.VARIABLE) return value.kind === Kind.BOOLEAN && value.value;
  const name = value.name.value;
  return (Object.hasOwn(variables, name) ? variables[name] : defaults.get(name)) === true;
}
