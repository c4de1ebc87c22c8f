import { expect, test } from 'vitest';
import type { FeedEvent, FeedPages } from '../../../src/engine/events/feed.ts';
import { createTail } from '../../../src/engine/events/tail.ts';

test('a wait ends for an event that is told while the page before it is on its way', async () => {
  let last = 10;
  let isAsked = () => {};
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const pageTo = (events: readonly FeedEvent[]) => ({ events, next: { epoch: 1, position: last }, hasMore: false });
  const feed: FeedPages = {
    state: async () => ({ epoch: 1, deleted: 0, last }),
    async page() {
      const page = pageTo([]);
      isAsked();
      await answered;
      return page;
    },
    pageAfter: async () => pageTo([eventAt(last)]),
  };
  const tail = createTail(feed, (error) => {
    throw error;
  });
  const waiting = tail.waitFor('now', {}, 60_000);
  await asked;
  last = 11;
  const told = new Promise<void>((resolve) => void tail.listen(() => resolve()));
  await told;
  answer();
  expect(await waiting).toEqual({ epoch: 1, position: 10 });
  tail.end();
}, 5_000);

function eventAt(position: number): FeedEvent {
  const about = { type: 'book.created', subject: 'books/1', time: new Date(0), correlation: null };
  return { id: `1.${position}`, position, ...about, data: { __typename: 'Book' } };
}
