import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeldBytes } from '../../../src/engine/http/held-bytes.ts';

const LIMITS = { inAll: 100, ofCaller: 40 };

/** It closes when it is ended, as a response does. */
function closable(onDestroy: () => void) {
  const emitter = new EventEmitter();
  const destroy = () => {
    onDestroy();
    emitter.emit('close');
  };
  return Object.assign(emitter, { destroy });
}

function holdings() {
  const ended: string[] = [];
  const held = new HeldBytes(LIMITS);
  const holding = (name: string) => closable(() => void ended.push(name));
  return { held, ended, holding };
}

test('the oldest holding of a caller is ended when the caller exceeds its limit', () => {
  const { held, ended, holding } = holdings();
  for (const name of ['a', 'b', 'c', 'd']) held.add(holding(name), 'greedy', 10);
  held.add(holding('x'), 'other', 40);
  expect(ended).toEqual([]);
  held.add(holding('e'), 'greedy', 15);
  expect(ended).toEqual(['a', 'b']);
});

test('a holding of the caller with the most bytes is ended when all callers exceed the total', () => {
  const { held, ended, holding } = holdings();
  held.add(holding('small'), 'small', 10);
  for (const caller of ['a', 'b']) held.add(holding(caller), caller, 35);
  held.add(holding('large'), 'large', 40);
  expect(ended).toEqual(['large']);
});

test('a released holding no longer counts, and is not ended', () => {
  const { held, ended, holding } = holdings();
  const first = holding('first');
  held.add(first, 'one', 40);
  expect([held.fits('one', 1), held.fits('other', 40), held.fits('other', 41)]).toEqual([false, true, false]);
  first.emit('close');
  first.emit('close');
  expect(held.fits('one', 40)).toBe(true);
  held.add(holding('second'), 'one', 40);
  expect(ended).toEqual([]);
});

test('no more bytes fit than the total of all callers allows', () => {
  const { held, holding } = holdings();
  for (const caller of ['a', 'b', 'c']) held.add(holding(caller), caller, 30);
  expect([held.fits('d', 10), held.fits('d', 11)]).toEqual([true, false]);
});

test('the limits are never exceeded, whatever is added and released', () => {
  const step = fc.record({
    caller: fc.constantFrom('a', 'b', 'c', 'd'),
    bytes: fc.integer({ min: 1, max: 60 }),
    leaves: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const held = new HeldBytes(LIMITS);
      const open = new Map<EventEmitter, { caller: string; bytes: number }>();
      for (const { caller, bytes, leaves } of steps) {
        const one = closable(() => void open.delete(one));
        open.set(one, { caller, bytes });
        held.add(one, caller, bytes);
        const [oldest] = open.keys();
        if (leaves === 0 && oldest !== undefined) {
          oldest.emit('close');
          open.delete(oldest);
        }
        const now = [...open.values()];
        const sum = (all: typeof now) => all.reduce((total, { bytes: some }) => total + some, 0);
        expect(sum(now)).toBeLessThanOrEqual(LIMITS.inAll);
        for (const of of ['a', 'b', 'c', 'd']) {
          expect(sum(now.filter((each) => each.caller === of))).toBeLessThanOrEqual(LIMITS.ofCaller);
        }
      }
    }),
  );
});
