import { ServiceError } from '../errors.ts';

/** How many values a JSON text may have, including objects, lists and their contents. */
const MAX_VALUES = 5_000;
/** How long a string in it may be, in bytes. */
const MAX_TEXT_LENGTH = 100_000;
/** How long a number in it may be, in digits. */
const MAX_NUMBER_LENGTH = 1_000;
/** How deep objects and lists may be nested: a parser that runs out of stack takes as long as fifty reads. */
const MAX_DEPTH = 1_500;
/** A text of this length, in bytes, or less can't exceed any of these limits. */
const SHORT = MAX_NUMBER_LENGTH;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
/** By the byte: how many values begin with it or after it, and by how many levels it changes the nesting. */
const BEGINS = tableOf({ ',': 1, '[': 1, '{': 1 });
const NESTS = tableOf({ '[': 1, '{': 1, ']': -1, '}': -1 });

/**
 * Throws PAYLOAD_TOO_LARGE for JSON that would take long to parse or to answer: a megabyte can hold 500,000 values.
 *
 * @param what contains it, as the beginning of a sentence
 * @returns how many values it has; 0 for a short text
 */
export function assertReadable(json: Uint8Array, what: string): number {
  if (json.length <= SHORT) return 0;
  let values = 1;
  let digits = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    digits = byte >= ZERO && byte <= NINE ? digits + 1 : 0;
    if (digits > MAX_NUMBER_LENGTH) throw tooLarge(what, `a number of more than ${MAX_NUMBER_LENGTH} digits`);
    if (byte === QUOTE) at = endOfString(json, at, what);
    values += BEGINS[byte] as number;
    depth += NESTS[byte] as number;
    if (values > MAX_VALUES) throw tooLarge(what, `more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH) throw tooLarge(what, `values that are nested more than ${MAX_DEPTH} deep`);
  }
  return values;
}

function tableOf(numbers: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [character, number] of Object.entries(numbers)) table[character.charCodeAt(0)] = number;
  return table;
}

/** The position of the closing quote of a string, by that of the opening one. */
function endOfString(json: Uint8Array, start: number, what: string): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  if (at - start > MAX_TEXT_LENGTH + 1) throw tooLarge(what, `a string of more than ${MAX_TEXT_LENGTH} bytes`);
  return at;
}

function tooLarge(what: string, has: string): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `${what} has ${has}.`);
}
