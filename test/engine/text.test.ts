import { expect, test } from 'vitest';
import { withArticle } from '../../src/engine/text.ts';

test('the article of a noun fits its sound', () => {
  expect(['pet', 'order', 'user', 'unit', 'umbrella'].map(withArticle)).toEqual([
    'a pet',
    'an order',
    'a user',
    'a unit',
    'an umbrella',
  ]);
});
