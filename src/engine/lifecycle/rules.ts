import { type GraphQLSchema, isRequiredArgument, isRequiredInputField } from 'graphql';
import { declaredOn, type Member, membersOf } from './annotated.ts';
import { assertAnnotations, combineAnnotations, type DeprecationAnnotation } from './annotation.ts';

/**
 * Validates all annotations of a schema.
 *
 * @throws {Error} with a line for each invalid one: dates, notice, a successor that is missing or deprecated itself, a
 *   required argument or input field
 */
export function assertLifecycle(schema: GraphQLSchema): void {
  const members = membersOf(schema);
  const byCoordinate = new Map(members.map((member) => [member.coordinate, member]));
  const errors = members.flatMap((member) => {
    try {
      assertMember(member, byCoordinate);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
  if (errors.length > 0) throw new Error(errors.join('\n'));
}

function assertMember(member: Member, members: ReadonlyMap<string, Member>): void {
  const { coordinate, element } = member;
  const declared = declaredOn(element);
  if (declared === undefined) {
    if (element.deprecationReason == null) return;
    throw new Error(`${coordinate}: declare its deprecation with lifecycle: deprecated({...}), which has its dates.`);
  }
  assertAnnotations(coordinate, declared);
  const { deprecation } = combineAnnotations(declared);
  if (deprecation === undefined) return;
  if (isRequired(member)) {
    throw new Error(`${coordinate}: it is required, so clients cannot leave it out, and it cannot be deprecated.`);
  }
  assertSuccessor(member, deprecation, members);
}

function isRequired({ kind, element }: Member): boolean {
  if (kind === 'argument') return isRequiredArgument(element);
  return kind === 'input field' && isRequiredInputField(element);
}

function assertSuccessor(
  { coordinate, element }: Member,
  { successor }: DeprecationAnnotation,
  members: ReadonlyMap<string, Member>,
): void {
  const named = members.get(successor.coordinate)?.element;
  if (named === undefined) {
    throw new Error(`${coordinate}: its successor ${successor.coordinate} is not in the schema.`);
  }
  if (named.deprecationReason != null) {
    throw new Error(`${coordinate}: its successor ${successor.coordinate} is deprecated itself.`);
  }
  for (const [to, from] of Object.entries(successor.args ?? {})) {
    if (!hasArgument(named, to)) {
      throw new Error(`${coordinate}: its successor ${successor.coordinate} has no argument ${to}.`);
    }
    if (!hasArgument(element, from)) {
      throw new Error(`${coordinate}: it has no argument ${from} to give to its successor.`);
    }
  }
}

function hasArgument(element: Member['element'], name: string): boolean {
  return 'args' in element && element.args.some((argument) => argument.name === name);
}
