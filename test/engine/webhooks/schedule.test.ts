import { expect, test } from 'vitest';
import { outcomeOf } from '../../../src/engine/webhooks/schedule.ts';

test('the tenth attempt is the last, and its Retry-After has the other requests wait all the same', () => {
  const failed = { outcome: 'failed', due: null, error: 'The answer was 429.', pausesUntil: new Date(61_000) };
  const answer = { status: 429, retryAfter: '60' };
  expect(outcomeOf(answer, 9, 1_000)).toEqual(failed);
  expect(outcomeOf(answer, 8, 1_000)).toMatchObject({ outcome: 'retried', pausesUntil: failed.pausesUntil });
});
