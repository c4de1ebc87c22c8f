import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bounds, decimal, integerFrom, text } from '../../../src/engine/schema/bounds.ts';
import { isStorable } from '../../../src/engine/text.ts';

const LENGTHS = fc.tuple(fc.nat(6), fc.nat(6)).map(([min, more]) => ({ min, max: min + more }));
const TEXTS = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '🐕', 'é', '٣'), maxLength: 14 });

describe('an input is accepted exactly if the schema in OpenAPI accepts it', () => {
  const ajv = new Ajv({ strict: false });
  const assertAgree = ({ jsonSchema, check }: Bounds, ...values: readonly unknown[]) => {
    const isValid = ajv.compile(jsonSchema);
    for (const value of values) expect([value, check(value) === undefined]).toEqual([value, isValid(value)]);
  };

  test('a text with a least and a greatest length', () => {
    fc.assert(fc.property(LENGTHS, TEXTS, (lengths, given) => assertAgree(text(lengths), given)));
  });

  test('an integer in a range', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(), fc.integer(), (min, more, given) => {
        const max = min + more;
        assertAgree(integerFrom(min, max), given, min - 1, min, max, max + 1);
      }),
    );
  });

  test('a decimal number with a precision and a scale', () => {
    const numbers = fc.tuple(fc.constantFrom('', '-', '+'), fc.nat(), fc.constantFrom('', '.'), fc.nat());
    const parts = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(parts, numbers, ([before, scale], digits) =>
        assertAgree(decimal({ precision: before + scale, scale }), digits.join('')),
      ),
    );
  });
});

test('a text that PostgreSQL cannot store is rejected', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('\0', '\ud83d', '\udc15'), (before, one) => {
      const given = `${before} ${one}`;
      expect(isStorable(given)).toBe(false);
      expect(text({ min: 0, max: 1_000 }).check(given)).toMatch(/NUL or half of a surrogate pair/);
    }),
  );
});
