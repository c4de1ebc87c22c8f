import { expect, test } from 'vitest';
import { withArticle } from '../../src/engine/text.ts';

test('the article of a noun fits its sound', () => {
  expect(['book', 'entry', 'user', 'unit', 'umbrella'].map(withArticle)).toEqual([
    'a book',
    'an entry',
    'a user',
    'a unit',
    'an umbrella',
  ]);
});
