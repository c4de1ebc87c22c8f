import { expect, test } from 'vitest';
import { shorten, withArticle } from '../../src/engine/text.ts';

test('the article of a noun fits its sound', () => {
  expect(['book', 'entry', 'user', 'unit', 'umbrella'].map(withArticle)).toEqual([
    'a book',
    'an entry',
    'a user',
    'a unit',
    'an umbrella',
  ]);
});

test('a text of a client is cut to 60 characters in a sentence', () => {
  expect(shorten('a'.repeat(60))).toBe('a'.repeat(60));
  expect(shorten('a'.repeat(61))).toBe(`${'a'.repeat(59)}…`);
});
