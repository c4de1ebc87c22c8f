import fc from 'fast-check';
import { isSafeNumber, parse, stringify } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { duplicateIn, parseJson } from '../../src/engine/json.ts';

const number = (text: string) => (/^-?\d+$/.test(text) && !isSafeNumber(text) ? BigInt(text) : Number(text));
const reference = (text: string) => parse(text, undefined, { parseNumber: number });

/** Strings that are difficult for a JSON parser. */
const text = fc
  .array(
    fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '1234567890123456789', '\u2028', '\n', '{', ',', 'e5')),
  )
  .map((parts) => parts.join(''));

test('integers are exact, and strings keep their values', () => {
  const leaf = fc.oneof(
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('value')), fc.dictionary(text, tie('value'))),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom('', ' ', '\t'), (given, space) => {
      const json = stringify([given, 12_345_678_901_234_567n], undefined, space) as string;
      expect(parseJson(json)).toEqual(reference(json));
    }),
  );
});

test.each([
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740992', 9_007_199_254_740_992n],
  ['-9223372036854775808', -9_223_372_036_854_775_808n],
  ['1234567890123456.0', 1_234_567_890_123_456],
  ['1234567890123456000e3', 1_234_567_890_123_456e6],
  ['0.5000000000000000', 0.5],
  ['1e1234567890123456', Number.POSITIVE_INFINITY],
  ['"\\"1234567890123456789"', '"1234567890123456789'],
  ['{"1234567890123456789": 12345678901234567890}', { '1234567890123456789': 12_345_678_901_234_567_890n }],
])('%s', (json, value) => {
  expect(parseJson(json)).toEqual(value);
});

test('a number with a fraction never becomes an integer, however small the fraction', () => {
  const digits = (min: number, max: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
  const sign = fc.constantFrom('', '-');
  const near = fc.oneof(fc.constantFrom('0', '1', '4503599627370496', '9007199254740990'), fc.maxSafeNat().map(String));
  const fraction = fc.oneof(
    digits(0, 30).map((zeros) => `${zeros.replaceAll(/./g, '0')}1`),
    digits(0, 30).map((nines) => `${nines.replaceAll(/./g, '9')}9`),
    digits(0, 30).map((any) => `${any}1`),
  );
  fc.assert(
    fc.property(sign, near, fraction, (minus, whole, places) => {
      const value = (parseJson(`[${minus}${whole}.${places}]`) as unknown[])[0];
      expect(Number.isSafeInteger(value)).toBe(false);
      expect(typeof value).toBe('number');
      // Near the written number, where there are numbers between the integers.
      if (Number(whole) < 2 ** 51)
        expect(Math.abs(Number(value) - Number(`${minus}${whole}.${places}`))).toBeLessThan(1);
    }),
  );
});

test.each([
  '0.99999999999999999999',
  '-0.99999999999999999999',
  '99999999999999999999e-20',
  '1.00000000000000000001',
  '4503599627370495.9',
  '4503599627370497.7',
  '-9007199254740990.5',
  '1e-400',
  '-1E-999',
])('%s does not become an integer', (json) => {
  expect(Number.isSafeInteger(parseJson(json))).toBe(false);
  expect(Number.isSafeInteger((parseJson(`{"a":${json}}`) as { a: unknown }).a)).toBe(false);
});

test.each([
  ['1.0000000000000000', 1],
  ['10000000000000000e-16', 1],
  ['0e-400', 0],
  ['-0.00000000000000000000', -0],
  ['9007199254740990.0', 9_007_199_254_740_990],
  // It is no safe integer, which the caller may have meant.
  ['-9007199254740993.5', -9_007_199_254_740_994],
])('%s becomes the integer', (json, value) => {
  expect(parseJson(json)).toBe(value);
});

test('a number with many zeros before its last digit takes no longer than others of its length', () => {
  const millisecondsFor = (digit: string) => {
    const body = `[${Array(500)
      .fill(`1.${digit.repeat(997)}1`)
      .join()}]`;
    const started = performance.now();
    const values = parseJson(body) as number[];
    expect(values.some(Number.isInteger)).toBe(false);
    return performance.now() - started;
  };
  // The least of three: others may have had the processor during one.
  const least = (digit: string) => Math.min(...[1, 2, 3].map(() => millisecondsFor(digit)));
  expect(least('0')).toBeLessThan(20 * least('5'));
});

test('__proto__ and constructor are ordinary keys', () => {
  const value = parseJson('{"__proto__": {"a": 12345678901234567}, "constructor": 1}') as object;
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test.each(['', '12345678901234567x', '[12345678901234567', '"12345678901234567', '{"a": 012345678901234567}'])(
  '%j is not JSON',
  (json) => {
    expect(() => parseJson(json)).toThrow(SyntaxError);
  },
);

describe('an object with a member twice', () => {
  const findIn = (json: string) => duplicateIn(json, parseJson(json));
  const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', ':', '":', '\\', '{"a":', ''));
  const leaf = fc.oneof(fc.bigInt(), fc.boolean(), fc.constant(null), name);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('value')), tie('object')),
    object: fc
      .uniqueArray(fc.tuple(name, tie('value')), { selector: ([key]) => key })
      .map((members) => Object.fromEntries(members)),
  }));
  const space = fc.constantFrom('', ' ', '\t');
  const write = (given: unknown, between: string) => stringify(given, undefined, between) as string;

  test('is never found in JSON that has none', () => {
    fc.assert(fc.property(value, space, (given, between) => findIn(write(given, between)) === undefined));
  });

  test('is always found, by its name', () => {
    fc.assert(
      fc.property(name, value, value, value, space, (key, one, other, around, between) => {
        const [own, first, last] = [JSON.stringify(key), write(one, between), write(other, between)];
        const json = `[${write(around, between)}, {"x": {${own}${between}: ${first}, "~": 1, ${own}: ${last}}}]`;
        expect(findIn(json)).toBe(key);
      }),
    );
  });

  test.each([
    ['{"a":1,"\\u0061":1}', 'a'],
    ['{"a":{"b":1},"b":[{"b":2},{"b":3}]}', undefined],
    ['{"a":[{"b":1}],"a":2}', 'a'],
  ])('%s', (json, found) => {
    expect(findIn(json)).toBe(found);
  });
});

test('an integer of more than 40 digits is only near: to read thousands of digits exactly takes long', () => {
  expect(parseJson('1'.repeat(40))).toBe(BigInt('1'.repeat(40)));
  expect(parseJson('1'.repeat(41))).toBe(Number('1'.repeat(41)));
});

test('an integer of more than 40 digits is parsed fast, as the nearest number', () => {
  expect(parseJson('9'.repeat(40))).toBe(BigInt('9'.repeat(40)));
  expect(parseJson('9'.repeat(41))).toBe(1e41);
  expect(parseJson('9'.repeat(1_000_000))).toBe(Number.POSITIVE_INFINITY);
});
