import { randomUUID } from 'node:crypto';
import { stringify as stringifyLossless } from 'lossless-json';

/** What a number does not hold exactly has so many digits, with its point or without, or is far below 1. */
const LONG_NUMBER = /[\d.]{16}|[eE]-\d{3}/;
const INTEGER = /^-?\d+$/;
const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** What is longer is beyond every type, and takes long to read to the last digit. */
const MAX_INTEGER_LENGTH = 40;
/** From here on, either way, all numbers are integers. */
const ALL_INTEGERS = 2 ** 52;
/** In valid JSON, found from its beginning, these are its texts and numbers whole. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Marks a text that stands for an integer: no client can know it. */
const MARK = randomUUID();

/**
 * Reads JSON with every integer of up to 40 digits exact: as a number where a number holds it, as a bigint beyond. A longer
 * one is the nearest number. What is no integer never becomes one: where the nearest number is an integer, it is the one
 * beside it, or NaN where that is one too.
 *
 * @throws {SyntaxError} when the text is not JSON (RFC 8259)
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_NUMBER.test(text)) return value;
  // A parser that hands over the digits of numbers takes a hundred times as long.
  const annotated = text.replace(TEXT_OR_NUMBER, (token) => (isLongNumber(token) ? `"${MARK}${token}"` : token));
  return JSON.parse(annotated, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? readNumber(value.slice(MARK.length)) : value,
  );
}

/** Writes JSON, bigints as integers to their last digit. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The one thing in an answer that JSON.stringify rejects is a bigint, which is rare: so try the fast way first.
    if (error instanceof TypeError) return stringifyLossless(value) ?? 'null';
    throw error;
  }
}

function isLongNumber(token: string): boolean {
  return token[0] !== '"' && LONG_NUMBER.test(token);
}

function readNumber(token: string): number | bigint {
  const near = Number(token);
  if (!INTEGER.test(token)) return Number.isInteger(near) && hasFraction(token) ? besideInteger(near) : near;
  return Number.isSafeInteger(near) || token.length > MAX_INTEGER_LENGTH ? near : BigInt(token);
}

/** Whether the number that is written so has places behind its point. */
function hasFraction(token: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(token) ?? [];
  const digits = whole + fraction;
  const significant = digits.replace(/0+$/, '');
  return significant !== '' && fraction.length - (digits.length - significant.length) > Number(exponent);
}

/** A number that is not an integer, next to the integer that is nearest to what was written. */
function besideInteger(integer: number): number {
  const size = Math.abs(integer);
  if (size >= ALL_INTEGERS) return size < 2 * ALL_INTEGERS ? Number.NaN : integer;
  const step = size < ALL_INTEGERS / 2 ? Math.max(size * Number.EPSILON, Number.MIN_VALUE) : 0.5;
  return integer > 0 ? integer - step : integer + step;
}
