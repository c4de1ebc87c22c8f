/** Pseudorandom numbers, the same in every run. */
export interface Random {
  /** A whole number from `first` to `last`, both included. */
  integer(first: number, last: number): number;
  pick<T>(values: readonly T[]): T;
}

/** Mulberry32: small, uniform, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (first: number, last: number) => first + Math.floor(next() * (last - first + 1));
  return { integer, pick: <T>(values: readonly T[]) => values[integer(0, values.length - 1)] as T };
}
