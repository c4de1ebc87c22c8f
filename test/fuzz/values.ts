import fc from 'fast-check';

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
    '2026-02-30T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '-000001-01-01T00:00:00Z',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Identifiers: of rows that are there, of rows that are not, and beyond all bounds. */
export const identifiers: fc.Arbitrary<number | bigint> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 30 }) },
  fc.constantFrom<number | bigint>(0, -1, 999_999, 2 ** 53, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n),
);

/** Usually the one, at times the other. */
export function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: other });
}
