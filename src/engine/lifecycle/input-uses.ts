import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type { Annotatable, Annotated } from './annotated.ts';

/** Adds the annotated elements in a value as the client sent it; parts that do not match the type are ignored. */
type Walk = (value: unknown, found: Set<Annotated>) => void;

/** Creates the walks through values of input types; undefined for a type whose values can use no annotated element. */
export function inputWalker(
  annotated: ReadonlyMap<Annotatable, Annotated>,
): (type: GraphQLInputType) => Walk | undefined {
  const cache = new Map<string, boolean>();
  return (type) => (isAnnotated(type) ? (value, found) => walk(type, value, found) : undefined);

  function walk(given: GraphQLInputType, value: unknown, found: Set<Annotated>): void {
    const type = getNullableType(given);
    if (value == null || !isAnnotated(type)) return;
    if (isListType(type)) {
      for (const item of Array.isArray(value) ? value : [value]) walk(type.ofType, item, found);
    } else if (isEnumType(type)) {
      if (typeof value === 'string') add(type.getValue(value), found);
    } else if (isInputObjectType(type) && typeof value === 'object') {
      // Iterates over the type's fields, not over the value's, which may be very many.
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
    const uses = cache.get(name) ?? reachable(type).some((element) => annotated.has(element));
    cache.set(name, uses);
    return uses;
  }
}

function reachable(type: GraphQLInputType, seen = new Set<string>()): Annotatable[] {
  const named = getNamedType(type);
  if (seen.has(named.name)) return [];
  seen.add(named.name);
  if (isEnumType(named)) return [...named.getValues()];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) => [field, ...reachable(field.type, seen)]);
}
