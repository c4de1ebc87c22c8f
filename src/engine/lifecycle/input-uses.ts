import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type { Markable, Marked } from './marked.ts';

/** Adds what is marked in a value, as it came; what does not fit the type is passed over. */
type Walk = (value: unknown, found: Set<Marked>) => void;

/** Makes the walks through values of input types; undefined for a type that can hold nothing marked. */
export function inputWalker(marked: ReadonlyMap<Markable, Marked>): (type: GraphQLInputType) => Walk | undefined {
  const bearing = new Map<string, boolean>();
  return (type) => (bearsMarks(type) ? (value, found) => walk(type, value, found) : undefined);

  function walk(given: GraphQLInputType, value: unknown, found: Set<Marked>): void {
    const type = getNullableType(given);
    if (value == null || !bearsMarks(type)) return;
    if (isListType(type)) {
      for (const item of Array.isArray(value) ? value : [value]) walk(type.ofType, item, found);
    } else if (isEnumType(type)) {
      if (typeof value === 'string') add(type.getValue(value), found);
    } else if (isInputObjectType(type) && typeof value === 'object') {
      // Over what the type has, not over what was sent, which may be very much.
      for (const field of Object.values(type.getFields())) {
        if (!Object.hasOwn(value, field.name)) continue;
        add(field, found);
        walk(field.type, (value as Readonly<Record<string, unknown>>)[field.name], found);
      }
    }
  }

  function add(element: Markable | null | undefined, found: Set<Marked>): void {
    const one = element == null ? undefined : marked.get(element);
    if (one !== undefined) found.add(one);
  }

  function bearsMarks(type: GraphQLInputType): boolean {
    const { name } = getNamedType(type);
    const known = bearing.get(name) ?? reachable(type).some((element) => marked.has(element));
    bearing.set(name, known);
    return known;
  }
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
