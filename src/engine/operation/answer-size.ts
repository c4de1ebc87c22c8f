import { type FieldNode, type GraphQLField, getNamedType, isEnumType, isLeafType } from 'graphql';

/** How long a text is that counts as one value, in characters. */
const LENGTH_OF_VALUE = 200;
/** How many bytes a character has at most in UTF-8. The six of an escaped control character are left to the look at the answer itself. */
const BYTES_OF_CHARACTER = 4;
/** What stands around a value: the quotation marks of its key, a colon, a comma, and braces or brackets. */
const BYTES_AROUND = 6;

/** The greatest lengths of built-in scalars as JSON, in bytes. */
const BYTES_OF_BUILT_IN: Readonly<Record<string, number>> = { Int: 11, Float: 25, Boolean: 5 };

/** What a field of text says of its length, and a scalar of its own. */
interface Lengths {
  /** The greatest length of a text, in characters. */
  readonly maxLength?: number;
  /** The greatest length as JSON, in bytes. */
  readonly bytes?: number;
}

/**
 * How many bytes a field takes at most in an answer, without what is selected within it: by its key, and the greatest length of
 * its value. A text that does not say how long it may be is left to the look at the answer itself, such as introspection's.
 */
export function bytesOf({ alias, name }: FieldNode, field: GraphQLField<unknown, unknown> | undefined): number {
  return (alias ?? name).value.length + BYTES_AROUND + (field === undefined ? 0 : bytesOfValue(field));
}

/** As how many values a field counts: a long text is several. */
export function valuesOf(field: GraphQLField<unknown, unknown> | undefined): number {
  const { maxLength = 1 }: Lengths = field?.extensions ?? {};
  return Math.ceil(maxLength / LENGTH_OF_VALUE);
}

function bytesOfValue({ type: ofField, extensions }: GraphQLField<unknown, unknown>): number {
  const type = getNamedType(ofField);
  if (!isLeafType(type)) return 0;
  if (isEnumType(type)) return Math.max(...type.getValues().map(({ name }) => name.length)) + 2;
  const { bytes = BYTES_OF_BUILT_IN[type.name] }: Lengths = type.extensions;
  const { maxLength = 0 }: Lengths = extensions;
  return bytes ?? maxLength * BYTES_OF_CHARACTER + 2;
}
