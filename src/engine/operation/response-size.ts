import { type FieldNode, type GraphQLField, getNamedType, isEnumType, isLeafType } from 'graphql';

/** A string counts as one value per this many characters. */
const LENGTH_OF_VALUE = 200;
/** In UTF-8. An escaped control character takes six: the check of the finished response covers these. */
const BYTES_OF_CHARACTER = 4;
/** For the quotation marks of its key, a colon, a comma, and braces or brackets. */
const BYTES_AROUND = 6;

/** The maximum lengths of built-in scalars as JSON, in bytes. */
const BYTES_OF_BUILT_IN: Readonly<Record<string, number>> = { Int: 11, Float: 25, Boolean: 5 };

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The maximum length of its string, in characters. */
    maxLength?: number | undefined;
  }
  interface GraphQLScalarTypeExtensions {
    /** The maximum length of a value as JSON. */
    bytes?: number;
  }
}

/**
 * The maximum size of a field's key and value in a response, in bytes. A string without a declared maximum, such as
 * those of introspection, counts as empty: the finished response is checked too.
 */
export function bytesOf({ alias, name }: FieldNode, field: GraphQLField<unknown, unknown>): number {
  return (alias ?? name).value.length + BYTES_AROUND + bytesOfValue(field);
}

/** How many values a field counts as: a long string counts as several. */
export function valuesOf(field: GraphQLField<unknown, unknown>): number {
  const { maxLength = 1 } = field.extensions;
  return Math.ceil(maxLength / LENGTH_OF_VALUE);
}

function bytesOfValue({ type: ofField, extensions }: GraphQLField<unknown, unknown>): number {
  const type = getNamedType(ofField);
  if (!isLeafType(type)) return 0;
  if (isEnumType(type)) return Math.max(...type.getValues().map(({ name }) => name.length)) + 2;
  const { bytes = BYTES_OF_BUILT_IN[type.name] } = type.extensions;
  const { maxLength = 0 } = extensions;
  return bytes ?? maxLength * BYTES_OF_CHARACTER + 2;
}
