import { parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';

/** Only a run of this many digits can be an integer that a number does not hold. */
const LONG_DIGITS = /\d{16}/;
/** What is longer is beyond every type; to read a million digits to the last takes half a second. */
const LONGEST_INTEGER = 1_000;

/**
 * Reads JSON with every integer exact: as a number where a number holds it, as a bigint beyond.
 *
 * @throws {SyntaxError} when the text is not JSON (RFC 8259)
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_DIGITS.test(text)) return value;
  return parseLossless(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
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

function parseNumber(digits: string): number | bigint {
  const near = Number(digits);
  if (digits.length > LONGEST_INTEGER) return near;
  return Number.isSafeInteger(near) || !/^-?\d+$/.test(digits) ? near : BigInt(digits);
}
