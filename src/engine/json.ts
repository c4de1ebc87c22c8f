import { randomUUID } from 'node:crypto';
import { stringify as stringifyLossless } from 'lossless-json';

/** A number in JSON that may not be exact as a JavaScript number: with 16 digits or more, or far below 1. */
const LONG_NUMBER = /[\d.]{16}|[eE]-\d{3}/;
const INTEGER = /^-?\d+$/;
const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** A longer integer is out of range for every type, and slow to parse. */
const MAX_INTEGER_LENGTH = 40;
/** From here on, in both directions, all numbers are integers. */
const ALL_INTEGERS = 2 ** 52;
/** In valid JSON, matched from its beginning, these are its whole strings and numbers. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** The colon follows a string that names a member. */
const STRING_OR_BRACE = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/g;
/** All white space of JSON is up to it. */
const SPACE = 0x20;
/** The prefix of a string that stands for a number: random, so that no client can send it. */
const PREFIX = randomUUID();

/**
 * Parses JSON, with every integer of up to 40 digits exact: as a number if a number is exact, otherwise as a bigint. A
 * longer integer becomes the nearest number. A number with a fraction never becomes a safe integer: if the nearest number
 * is an integer, it becomes the number next to that, or NaN if that is an integer too.
 *
 * @throws {SyntaxError} if the text is not JSON (RFC 8259)
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_NUMBER.test(text)) return value;
  // A JSON parser that exposes the digits of numbers takes a hundred times as long.
  const quoted = text.replace(STRING_OR_NUMBER, (token) =>
    token[0] !== '"' && LONG_NUMBER.test(token) ? `"${PREFIX}${token}"` : token,
  );
  return JSON.parse(quoted, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(PREFIX) ? readNumber(value.slice(PREFIX.length)) : value,
  );
}

/** The name of a member that an object of valid JSON has twice, if one does: the parser keeps only the last of them. */
export function duplicateIn(text: string, value: unknown): string | undefined {
  // Counting is less work than reading the names, and few texts have such a colon in a string.
  if (colonsAfterQuotes(text) === membersOf(value)) return undefined;
  const outer: Set<string>[] = [];
  let names = new Set<string>();
  for (const [token, colon] of text.matchAll(STRING_OR_BRACE)) {
    if (token === '{') {
      outer.push(names);
      names = new Set();
    } else if (token === '}') names = outer.pop() ?? names;
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

/** How many colons follow a quote, with or without white space between them, as those of all members do. */
function colonsAfterQuotes(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= SPACE) before--;
    if (text[before] === '"') colons++;
  }
  return colons;
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const one of Object.values(value)) if (typeof one === 'object') members += membersOf(one);
  return members;
}

/** Serializes to JSON, with bigints as exact integers. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // In a response, JSON.stringify rejects only bigints, which are rare: so the fast way comes first.
    return stringifyLossless(value) ?? 'null';
  }
}

function readNumber(token: string): number | bigint {
  const near = Number(token);
  if (!INTEGER.test(token)) return Number.isInteger(near) && hasFraction(token) ? besideInteger(near) : near;
  return Number.isSafeInteger(near) || token.length > MAX_INTEGER_LENGTH ? near : BigInt(token);
}

function hasFraction(token: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(token) ?? [];
  const digits = whole + fraction;
  let end = digits.length;
  // A regular expression for the last zeros would try each of the others too.
  while (digits[end - 1] === '0') end--;
  return end > 0 && fraction.length - (digits.length - end) > Number(exponent);
}

/** The number next to an integer that is not an integer itself; NaN if there is none. */
function besideInteger(integer: number): number {
  const size = Math.abs(integer);
  if (size >= ALL_INTEGERS) return size < 2 * ALL_INTEGERS ? Number.NaN : integer;
  const step = size < ALL_INTEGERS / 2 ? Math.max(size * Number.EPSILON, Number.MIN_VALUE) : 0.5;
  return integer > 0 ? integer - step : integer + step;
}
