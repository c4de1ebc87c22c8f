import { randomUUID } from 'node:crypto';
import { stringify as stringifyLossless } from 'lossless-json';

/** Only a run of this many digits can be an integer that a number does not hold. */
const LONG_DIGITS = /\d{16}/;
const LONG_INTEGER = /^-?\d{16,}$/;
/** What is longer is beyond every type, and takes long to read to the last digit. */
const LONGEST_INTEGER = 40;
/** In valid JSON, found from its beginning, these are its texts and numbers whole. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Marks a text that stands for an integer: no client can know it. */
const MARK = randomUUID();

/**
 * Reads JSON with every integer of up to 40 digits exact: as a number where a number holds it, as a bigint beyond. A longer
 * one is the nearest number.
 *
 * @throws {SyntaxError} when the text is not JSON (RFC 8259)
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_DIGITS.test(text)) return value;
  // A parser that hands over the digits of numbers takes a hundred times as long.
  const marked = text.replace(TEXT_OR_NUMBER, (token) => (LONG_INTEGER.test(token) ? `"${MARK}${token}"` : token));
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? readInteger(value.slice(MARK.length)) : value,
  );
}

/** Writes JSON, bigints as integers to their last digit. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The one thing in an answer that JSON.stringify refuses is a bigint, which is rare: so try the fast way first.
    if (error instanceof TypeError) return stringifyLossless(value) ?? 'null';
    throw error;
  }
}

function readInteger(digits: string): number | bigint {
  const near = Number(digits);
  return Number.isSafeInteger(near) || digits.length > LONGEST_INTEGER ? near : BigInt(digits);
}
