import { expect, test } from 'vitest';
import { Pace } from '../../../src/engine/limits/pace.ts';

function paceOf(most: number) {
  const pace = new Pace(most);
  const begun: string[] = [];
  const begin = async (caller: string, size: number, name: string) => {
    await pace.next(caller, size);
    begun.push(name);
  };
  return { begun, begin };
}

test('little is begun at once', async () => {
  const { begun, begin } = paceOf(10);
  await Promise.all([begin('one', 4, 'a'), begin('one', 6, 'b'), begin('two', 10, 'c')]);
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('what is more waits, in its order, and holds up nobody else', async () => {
  const { begun, begin } = paceOf(10);
  for (const [name, size] of [
    ['a', 8],
    ['b', 8],
    ['c', 2],
    ['d', 30],
    ['e', 1],
  ] as const) {
    void begin('greedy', size, name);
  }
  void begin('other', 10, 'x');
  await Promise.resolve();
  await Promise.resolve();
  expect(begun.splice(0).join('')).toBe('ax');
  await expect.poll(() => begun.join('')).toBe('bcde');
});
