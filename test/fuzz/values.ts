import fc from 'fast-check';

/** How near to the description a case is: wholly, but for one fault, or as if there were none. */
export type Kind = 'valid' | 'nearly valid' | 'hostile';

/** What is put in the place of a value that fits: nothing else, or at times something that does not. */
export type Taste = (fitting: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>;

export const exact: Taste = (fitting) => fitting;
export const loose: Taste = (fitting) => mostly(fitting, hostileValues);

/** Values that break what is not careful: of every type, and at every edge. */
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

/** The rows that a round begins with, and some of those that it makes. */
const ROWS: Readonly<Record<string, number>> = { categoryId: 15, petId: 66, orderId: 22 };

/** Identifiers of rows, nearly all of which are there. */
export function rowsOf(name: string): fc.Arbitrary<number> {
  return fc.integer({ min: 1, max: ROWS[name] ?? 20 });
}

/** Identifiers: of rows that are there, of rows that are not, and beyond all bounds. */
export const identifiers: fc.Arbitrary<number | bigint> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 30 }) },
  fc.constantFrom<number | bigint>(0, -1, 999_999, 2 ** 53, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n),
);

export const dateTimes: fc.Arbitrary<string> = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map((date) => date.toISOString());

/** Texts of at least `min` and at most `max` characters; one that must not be empty is not only white space. */
export function texts(min: number, max: number): fc.Arbitrary<string> {
  const any = fc.string({ minLength: min, maxLength: Math.min(max, 30) });
  const usual = fc.constantFrom('Rex', 'Dogs', 'ä', 'R', '🐕‍🦺', 'Ω'.repeat(max > 1_000 ? 1_000 : 200));
  return fc.oneof(usual, min === 0 ? any : any.filter((text) => /\S/.test(text)));
}

/** Usually the one, at times the other. */
export function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: other });
}
