import { parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';

/** Only a run of this many digits can be an integer that a number does not hold. */
const LONG_DIGITS = /\d{16}/;
/** No integer that is taken anywhere is as long, and to read one of a million digits takes half a second. */
const MOST_DIGITS = 100;

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
  return digits.length > MOST_DIGITS || Number.isSafeInteger(near) || !/^-?\d+$/.test(digits) ? near : BigInt(digits);
}
