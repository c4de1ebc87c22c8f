import { type GraphQLSchema, isRequiredInputField } from 'graphql';
import { isDate } from '../date.ts';
import { argumentsOf, type Element, type Member, membersOf } from './annotated.ts';
import { type Annotations, combineAnnotations, type Declared, daysBetween, NOTICE_DAYS } from './annotation.ts';

type Members = ReadonlyMap<string, Member>;

/** @throws {Error} with a line for each invalid annotation */
export function assertLifecycle(schema: GraphQLSchema): void {
  const members: Members = new Map(membersOf(schema).map((member) => [member.coordinate, member]));
  const errors = [...members.values()].flatMap((member) => {
    const error = errorIn(member, members);
    return error === undefined ? [] : [`${member.coordinate}: ${error}`];
  });
  if (errors.length > 0) throw new Error(errors.join('\n'));
}

function errorIn(member: Member, members: Members): string | undefined {
  const declared = member.element.extensions.lifecycle;
  if (declared === undefined) {
    if (member.element.deprecationReason == null) return undefined;
    return 'declare its deprecation with lifecycle: deprecated({...}), which has its dates.';
  }
  const annotations = combineAnnotations(declared);
  return errorInLevels(declared) ?? errorInDates(annotations) ?? errorInPlace(member, annotations, members);
}

function errorInLevels(declared: Declared): string | undefined {
  const list = 'level' in declared ? [declared] : declared;
  const stabilities = list.filter(({ level }) => level !== 'deprecated').length;
  if (list.length > 0 && stabilities <= 1 && list.length - stabilities <= 1) return undefined;
  return 'it can be experimental or beta, and also deprecated, each at most once.';
}

function errorInDates({ stability, deprecation }: Annotations): string | undefined {
  if (deprecation === undefined) return undefined;
  const { since, sunset, why } = deprecation;
  const wrong = [since, sunset].find((day) => !isDate(day));
  if (wrong !== undefined) return `${wrong} is not a day; since and sunset are days such as 2026-07-01.`;
  if (sunset < since) return `its sunset ${sunset} is before its deprecation, ${since}.`;
  const notice = NOTICE_DAYS[stability];
  const days = daysBetween(since, sunset);
  if (days < notice) {
    return `from ${since} to ${sunset} are ${days} days; ${stability} elements need ${notice} days' notice.`;
  }
  return /[.!?]$/.test(why) ? undefined : 'why must be a sentence, with a full stop.';
}

function errorInPlace(member: Member, { deprecation }: Annotations, members: Members): string | undefined {
  if (deprecation === undefined) return undefined;
  if (isRequired(member.element)) return 'it is required, so clients cannot leave it out, and it cannot be deprecated.';
  const { coordinate, args = {} } = deprecation.successor;
  const named = members.get(coordinate)?.element;
  if (named === undefined) return `its successor ${coordinate} is not in the schema.`;
  if (named.deprecationReason != null) return `its successor ${coordinate} is deprecated itself.`;
  for (const [to, from] of Object.entries(args)) {
    if (!hasArgument(named, to)) return `its successor ${coordinate} has no argument ${to}.`;
    if (!hasArgument(member.element, from)) return `it has no argument ${from} to give to its successor.`;
  }
  return undefined;
}

/** Whether it is an argument or an input field that clients must send. */
export function isRequired(element: Element): boolean {
  return 'defaultValue' in element && isRequiredInputField(element);
}

function hasArgument(element: Element, name: string): boolean {
  return argumentsOf(element).some((argument) => argument.name === name);
}
