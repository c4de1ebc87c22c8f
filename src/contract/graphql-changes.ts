import { ChangeType, CriticalityLevel, diff, type Change as InspectorChange } from '@graphql-inspector/core';
import { getDirectiveExtensions } from '@graphql-tools/utils';
import { type GraphQLSchema, getNamedType } from 'graphql';
import { type Member, membersOf } from '../engine/lifecycle/annotated.ts';
import { isRequired } from '../engine/lifecycle/rules.ts';
import type { Change } from './change.ts';

/** The directives whose changes are not compared as such. */
const DIRECTIVES = /@(stability|sunset|deprecated|requiresScope)\b/;
/** The bounds of a value, as descriptions have them. */
const BOUNDS = /Accepts (?:(-?\d+) to|at most) (-?\d+)/;
const DEFAULTS: readonly string[] = [ChangeType.FieldArgumentDefaultChanged, ChangeType.InputFieldDefaultValueChanged];

/** How operations that were valid against the base, or their results, differ, annotations aside. */
export async function graphqlChanges(base: GraphQLSchema, head: GraphQLSchema): Promise<Change[]> {
  const changes = await diff(base, head);
  const [before, after] = [membersBy(base), membersBy(head)];
  const returned = new Set(membersOf(base).map(({ element }) => 'args' in element && getNamedType(element.type).name));
  const ofTypes = changes.flatMap((change) => {
    const { path = 'schema', message } = change;
    const [coordinate, parent] = coordinateOf(path);
    const kind = kindOf(change, after.get(coordinate));
    if (kind === undefined || DIRECTIVES.test(path)) return [];
    // Clients never receive a value that only they can send.
    if (change.type === ChangeType.EnumValueAdded && !returned.has(parent)) return [];
    const isNewlyRequired = needs(after.get(coordinate)) && !needs(before.get(coordinate));
    return [{ kind, coordinate, parent, isNewlyRequired, what: `${message.replace(/\.$/, '')}.` }] as const;
  });
  const others = membersOf(base).flatMap((was): Change[] => {
    const is = after.get(was.coordinate);
    const what = is && (scopeChange(scopeOf(was, base), scopeOf(is, head)) ?? boundsChange(was, is));
    return what === undefined ? [] : [{ kind: 'break', coordinate: was.coordinate, what }];
  });
  return [...ofTypes, ...others];
}

function membersBy(schema: GraphQLSchema): ReadonlyMap<string, Member> {
  return new Map(membersOf(schema).map((member) => [member.coordinate, member]));
}

function needs(member: Member | undefined): boolean {
  return member !== undefined && isRequired(member.element);
}

function scopeChange(was: unknown, is: unknown): string | undefined {
  return is === undefined || is === was ? undefined : `Its scope changed from ${was ?? 'none'} to ${is}.`;
}

function scopeOf({ element }: Member, schema: GraphQLSchema): unknown {
  return getDirectiveExtensions(element, schema).requiresScope?.[0]?.scope;
}

/** Says that a value has narrower bounds. */
function boundsChange({ element: was }: Member, { element: is }: Member): string | undefined {
  const [before, after] = [was, is].map(({ description }) => BOUNDS.exec(description ?? ''));
  const [min, max] = [Number(before?.[1] ?? -Infinity), Number(before?.[2] ?? Infinity)];
  if (after == null || (Number(after[1] ?? -Infinity) <= min && Number(after[2]) >= max)) return undefined;
  const show = (bounds: RegExpExecArray | null | undefined) => bounds?.[0].replace('Accepts ', '') ?? 'any';
  return `It accepts ${show(after)} now; before, ${show(before)}.`;
}

function kindOf({ type, criticality }: InspectorChange, after: Member | undefined): 'break' | 'surprise' | undefined {
  if (criticality.level === CriticalityLevel.Breaking) return 'break';
  if (criticality.level === CriticalityLevel.NonBreaking) return undefined;
  // A default may change the responses to clients that do not know of the argument.
  const hasDefault = after !== undefined && 'defaultValue' in after.element && after.element.defaultValue !== undefined;
  if (type === ChangeType.FieldArgumentAdded && !hasDefault) return undefined;
  // The library doesn't see that a non-null argument without its default becomes required.
  return DEFAULTS.includes(type) && needs(after) ? 'break' : 'surprise';
}

/** The schema coordinates of a path, such as `Query.pets.sort` or `NewPet.@oneOf`, and of its parent. */
function coordinateOf(path: string): [coordinate: string, parent: string] {
  const [first = path, member, argument] = path
    .split('.')
    .filter((part, index) => index === 0 || !part.startsWith('@'));
  if (member === undefined) return [first, first];
  const field = `${first}.${member}`;
  return argument === undefined ? [field, first] : [`${field}(${argument}:)`, field];
}
