/**
 * A 64-bit signed integer, exact: a number where a number holds it (up to 2^53 - 1 either way), a bigint beyond.
 * There is one form for each value, so `===`, `Map` keys and JSON work on it as they are.
 */
export type Int64 = number | bigint;

const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

/** The value in its one form, or undefined when it is not an integer of 64 bits. */
export function toInt64(value: number | bigint): Int64 | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined;
  if (value < LEAST || value > GREATEST) return undefined;
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

/** Reads decimal digits with an optional minus sign; undefined for anything else or out of range. */
export function parseInt64(text: string): Int64 | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  return text.length < 16 ? Number(text) + 0 : toInt64(BigInt(text));
}
