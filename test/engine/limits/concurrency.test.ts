import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createConcurrencyLimiter } from '../../../src/engine/limits/concurrency.ts';

const UNITS_AT_ONCE = 400;

const never = () => new Promise<never>(() => {});
const outcome = (answer: Promise<unknown>) => answer.catch((error) => error.code ?? error.message);
const load = (account = 'somebody', units = 1) => ({ account, units });

/** Work that goes on until the test ends it. */
function underWay() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await sleep(1);
  };
  return { begun, work, end };
}

describe('the gate', () => {
  test('lets in so many at once, and the next as soon as one has gone, however it went', async () => {
    const concurrency = createConcurrencyLimiter(1, 1_000);
    const broken = () => {
      throw new Error('broken');
    };
    for (const [work, result] of [
      [() => 'now', 'now'],
      [async () => 'later', 'later'],
      [broken, 'broken'],
      [async () => broken(), 'broken'],
    ] as const) {
      const [first, second] = [
        outcome(concurrency.run<string>(work, load())),
        outcome(concurrency.run(() => 'beside it', load())),
      ];
      expect(await Promise.all([first, second])).toEqual([result, work === broken ? 'beside it' : 'UNAVAILABLE']);
    }
    expect(await concurrency.run(() => 'at the end', load())).toBe('at the end');
  });

  test('waits no longer than its deadline; what was given up counts until it has ended', async () => {
    const concurrency = createConcurrencyLimiter(1, 20);
    const slow = concurrency.run(() => sleep(60), load());
    expect(await outcome(slow)).toBe('TIMEOUT');
    expect(await outcome(concurrency.run(() => 'early', load()))).toBe('UNAVAILABLE');
    await sleep(60);
    expect(await outcome(concurrency.run(() => 'then', load()))).toBe('then');
  });

  test('ends in time what is under way, and nothing else', async () => {
    const concurrency = createConcurrencyLimiter(10, 10_000);
    const results = [
      outcome(concurrency.run(() => 'done', load())),
      outcome(concurrency.run(never, load())),
      outcome(concurrency.run(never, load('another'))),
    ];
    concurrency.endWithin(10);
    expect(await Promise.all(results)).toEqual(['done', 'UNAVAILABLE', 'UNAVAILABLE']);
    expect(await concurrency.run(() => 'after', load('a third'))).toBe('after');
  });
});

describe('of one caller', () => {
  test(`at most ${UNITS_AT_ONCE} units are under way: the rest waits, in its order`, async () => {
    const concurrency = createConcurrencyLimiter(1_000, 10_000);
    const { begun, work, end } = underWay();
    for (const [name, units] of [
      ['a', UNITS_AT_ONCE - 10],
      ['b', 10],
      ['c', 11],
      ['d', 1],
    ] as const) {
      void concurrency.run(work(name), load('one', units));
    }
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  test('what costs more than that is done alone', async () => {
    const concurrency = createConcurrencyLimiter(1_000, 10_000);
    const { begun, work, end } = underWay();
    for (const [name, units] of [
      ['small', 1],
      ['huge', 5 * UNITS_AT_ONCE],
      ['next', 1],
    ] as const) {
      void concurrency.run(work(name), load('one', units));
    }
    expect(begun).toEqual(['small']);
    await end('small');
    expect(begun).toEqual(['small', 'huge']);
    await end('huge');
    expect(begun).toEqual(['small', 'huge', 'next']);
  });

  test('what waits is given up at its deadline, and never begun', async () => {
    const concurrency = createConcurrencyLimiter(1_000, 20);
    const { begun, work, end } = underWay();
    void concurrency.run(work('first'), load('one', UNITS_AT_ONCE)).catch(() => {});
    expect(await outcome(concurrency.run(work('late'), load('one')))).toBe('TIMEOUT');
    await end('first');
    expect(begun).toEqual(['first']);
    expect(await concurrency.run(() => 'then', load('one'))).toBe('then');
  });

  test('nothing waits for what another caller has under way', async () => {
    const concurrency = createConcurrencyLimiter(1_000, 10_000);
    for (let n = 0; n < 100; n++) void concurrency.run(never, load('greedy', UNITS_AT_ONCE));
    expect(await concurrency.run(() => 'at once', load('other'))).toBe('at once');
  });
});

describe('when there is no place left', () => {
  test('the caller with the most that waits loses its last, and another is let in', async () => {
    const concurrency = createConcurrencyLimiter(10, 10_000);
    const greedy = Array.from({ length: 10 }, () => outcome(concurrency.run(never, load('greedy', UNITS_AT_ONCE))));
    expect(await concurrency.run(() => 'in', load('other'))).toBe('in');
    expect(await greedy[9]).toBe('UNAVAILABLE');
    expect(await Promise.race([...greedy.slice(0, 9), sleep(5, 'still there')])).toBe('still there');
  });

  test('a caller that has the most itself is rejected', async () => {
    const concurrency = createConcurrencyLimiter(2, 10_000);
    for (let n = 0; n < 2; n++) void concurrency.run(never, load('greedy', UNITS_AT_ONCE));
    expect(await outcome(concurrency.run(never, load('greedy')))).toBe('UNAVAILABLE');
  });
});
