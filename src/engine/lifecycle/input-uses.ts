import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type { Annotatable, Annotated } from './annotated.ts';

/** Adds what is marked in a value, as it came; what does not fit the type is passed over. */
type Walk = (value: unknown, found: Set<Annotated>) => void;

/** Makes the walks through values of input types; undefined for a type that can hold nothing marked. */
export function inputWalker(
  annotated: ReadonlyMap<Annotatable, Annotated>,
): (type: GraphQLInputType) => Walk | undefined {
  const bearing = new Map<string, boolean>();
  return (type) => (isAnnotated(type) ? (value, found) => walk(type, value, found) : undefined);

  function walk(given: GraphQLInputType, value: unknown, found: Set<Annotated>): void {
    const type = getNullableType(given);
    if (value == null || !isAnnotated(type)) return;
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

  function add(element: Annotatable | null | undefined, found: Set<Annotated>): void {
    const one = element == null ? undefined : annotated.get(element);
    if (one !== undefined) found.add(one);
  }

  function isAnnotated(type: GraphQLInputType): boolean {
    const { name } = getNamedType(type);
    const known = bearing.get(name) ?? reachable(type).some((element) => annotated.has(element));
    bearing.set(name, known);
    return known;
  }
}

/** All input fields and enum values that a value of the type can hold. */
function reachable(type: GraphQLInputType, seen = new Set<string>()): Annotatable[] {
  const named = getNamedType(type);
  if (seen.has(named.name)) return [];
  seen.add(named.name);
  if (isEnumType(named)) return [...named.getValues()];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) => [field, ...reachable(field.type, seen)]);
}
