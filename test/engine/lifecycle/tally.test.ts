import { expect, test } from 'vitest';
import { OTHERS, Tally } from '../../../src/engine/lifecycle/tally.ts';

const at = (time: string) => new Date(`2026-07-01T${time}Z`);

test('uses that could not be stored are added to those since, by the latest time', () => {
  const times = [at('09:00:00'), at('09:10:00'), at('09:20:00')];
  const tally = new Tally(() => times.shift() as Date);
  tally.add('Query.book', 'shop');
  tally.add('Query.book', 'shop');
  const taken = tally.take();
  const counted = { coordinate: 'Query.book', client: 'shop', day: '2026-07-01' };
  expect(taken).toEqual([{ ...counted, uses: 2, lastSeen: at('09:10:00') }]);
  tally.add('Query.book', 'shop');
  tally.restore(taken);
  expect(tally.take()).toEqual([{ ...counted, uses: 3, lastSeen: at('09:20:00') }]);
});

test('clients beyond the maximum number are counted together for each element, until the counts are taken', () => {
  const tally = new Tally(() => at('09:00:00'));
  for (let n = 0; n < 10_000; n++) tally.add(n % 2 === 0 ? 'Query.book' : 'Mutation.createBook', `client-${n}`);
  const counts = tally.take();
  expect(counts).toHaveLength(2_000 + 2);
  expect(counts.reduce((sum, { uses }) => sum + uses, 0)).toBe(10_000);
  expect(counts.filter(({ client }) => client === OTHERS).map(({ uses }) => uses)).toEqual([4_000, 4_000]);
  tally.add('Query.book', 'shop');
  expect(tally.take().map(({ client }) => client)).toEqual(['shop']);
});
