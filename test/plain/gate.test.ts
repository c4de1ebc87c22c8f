import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createGate } from '../../src/limits/gate.ts';

const never = () => new Promise<never>(() => {});
const outcome = (answer: Promise<unknown>) => answer.catch((error) => error.code ?? error.message);

describe('the gate', () => {
  test('lets in so many at once, and the next as soon as one has gone, however it went', async () => {
    const gate = createGate(1, 1_000);
    const broken = () => {
      throw new Error('broken');
    };
    for (const [work, result] of [
      [() => 'now', 'now'],
      [async () => 'later', 'later'],
      [broken, 'broken'],
      [async () => broken(), 'broken'],
    ] as const) {
      const [first, second] = [outcome(gate.run<string>(work)), outcome(gate.run(() => 'beside it'))];
      expect(await Promise.all([first, second])).toEqual([result, work === broken ? 'beside it' : 'UNAVAILABLE']);
    }
    expect(await gate.run(() => 'at the end')).toBe('at the end');
  });

  test('waits no longer than its deadline; what was given up counts until it has ended', async () => {
    const gate = createGate(1, 20);
    const slow = gate.run(() => sleep(60));
    expect(await outcome(slow)).toBe('TIMEOUT');
    expect(await outcome(gate.run(() => 'early'))).toBe('UNAVAILABLE');
    await sleep(60);
    expect(await outcome(gate.run(() => 'then'))).toBe('then');
  });

  test('ends in time what is under way, and nothing else', async () => {
    const gate = createGate(10, 10_000);
    const results = [outcome(gate.run(() => 'done')), outcome(gate.run(never)), outcome(gate.run(never))];
    gate.endWithin(10);
    expect(await Promise.all(results)).toEqual(['done', 'UNAVAILABLE', 'UNAVAILABLE']);
    expect(await gate.run(() => 'after')).toBe('after');
  });
});
