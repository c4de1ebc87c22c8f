import fc from 'fast-check';

/** How close a case is to the description: valid, with one mistake, or ignoring it. */
export type Kind = 'valid' | 'nearly valid' | 'hostile';

/** Replaces a valid value: never, or sometimes with an invalid one. */
export type Taste = (fitting: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>;

export const exact: Taste = (fitting) => fitting;
export const loose: Taste = (fitting) => mostly(fitting, hostileValues);

/** Values that break careless code: of every type, and at every bound. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    '0',
    '-1',
    '1',
    'null',
    '\u0000',
    '\ud800',
    '\u202e',
    'x'.repeat(5_000),
    "'; drop table pets; --",
    '{}',
    0,
    -1,
    1.5,
    1e300,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    9_223_372_036_854_775_807n,
    9_223_372_036_854_775_808n,
    [],
    [null],
    {},
    JSON.parse('{"__proto__":{"name":"Rex"},"constructor":1}'),
    { toString: '', valueOf: null },
    [{ toString: '' }],
    JSON.parse('{"then":1,"toJSON":"x","length":2}'),
    '2026-02-30T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '-000001-01-01T00:00:00Z',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The number of rows that a round starts with, and some of those that it creates. */
const ROWS: Readonly<Record<string, number>> = { categoryId: 15, petId: 66, orderId: 22 };

/** Ids of rows, most of which exist. */
export function rowsOf(name: string): fc.Arbitrary<number> {
  return fc.integer({ min: 1, max: ROWS[name] ?? 20 });
}

/** Ids: of existing rows, of missing rows, and beyond all bounds. */
export const identifiers: fc.Arbitrary<number | bigint> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 30 }) },
  fc.constantFrom<number | bigint>(0, -1, 999_999, 2 ** 53, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n),
);

/** Seconds to wait for events: none, or too many. A request that waits would not be one without an answer in time. */
export const waits = { right: fc.constant(0), any: fc.constantFrom(0, -1, 21, 1_000) };

export const dateTimes: fc.Arbitrary<string> = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map((date) => date.toISOString());

/** Texts of `min` to `max` characters; with a minimum, a text is not only white space. */
export function texts(min: number, max: number): fc.Arbitrary<string> {
  const any = fc.string({ minLength: min, maxLength: Math.min(max, 30) });
  const common = fc.constantFrom('Rex', 'Dogs', 'ä', 'R', '🐕‍🦺', 'Ω'.repeat(max > 1_000 ? 1_000 : 200));
  return fc.oneof(common, min === 0 ? any : any.filter((text) => /\S/.test(text)));
}

/** Usually a value of the first, sometimes of the other. */
export function mostly<T>(common: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: common }, { weight: 1, arbitrary: other });
}
