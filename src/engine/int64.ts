/**
 * An exact 64-bit signed integer: a number if a number is exact (up to 2^53 - 1 in both directions), otherwise a
 * bigint. Each value has only one form, so `===`, `Map` keys and JSON work.
 */
export type Int64 = number | bigint;

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** The value in its one form, or undefined if it is not an integer of 64 bits. */
export function toInt64(value: number | bigint): Int64 | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined;
  if (value < MIN || value > MAX) return undefined;
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

/** Parses decimal digits with an optional minus sign; undefined for anything else, or out of range. */
export function parseInt64(text: string): Int64 | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  return text.length < 16 ? Number(text) + 0 : toInt64(BigInt(text));
}
