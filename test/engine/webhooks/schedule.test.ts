import { expect, test } from 'vitest';
import { outcomeOf } from '../../../src/engine/webhooks/schedule.ts';

test('the tenth attempt is the last, and its Retry-After has the other requests wait all the same', () => {
  const failed = { outcome: 'failed', due: null, error: 'The answer was 429.', pausesUntil: new Date(61_000) };
  const answer = { status: 429, retryAfter: '60' };
  expect(outcomeOf(answer, 9, 1_000)).toEqual(failed);
  expect(outcomeOf(answer, 8, 1_000)).toMatchObject({ outcome: 'retried', pausesUntil: failed.pausesUntil });
});

test('a Retry-After of any number of digits is obeyed for a day', () => {
  for (const retryAfter of ['9999999999', '9'.repeat(400)]) {
    expect(outcomeOf({ status: 503, retryAfter }, 0, 0).pausesUntil).toEqual(new Date(86_400_000));
  }
});
