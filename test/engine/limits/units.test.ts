import { expect, test, vi } from 'vitest';
import { CpuThrottle } from '../../../src/engine/limits/cpu-throttle.ts';
import { Meter } from '../../../src/engine/limits/meter.ts';
import { listCosts, unitsOfValues } from '../../../src/engine/limits/units.ts';

const LIST = { tables: [] };

test.each([
  [0, 1, 1],
  [149, 15, 1],
  [150, 16, 2],
  [2_500, 251, 17],
  [25_000, 2_501, 167],
])('for a table of %d pages, a count costs %d units and a search %d', (pages, count, search) => {
  const costs = listCosts(() => [pages]);
  expect([costs.count(LIST), costs.scan(LIST)]).toEqual([count, search]);
});

test('the cost of a list depends on the pages of all its tables', () => {
  expect(listCosts(() => [100, 100]).scan(LIST)).toBe(2);
});

test.each([
  [249, 0],
  [250, 1],
  [5_000, 20],
])('%d values of JSON cost %d units', (values, units) => {
  expect(unitsOfValues(values)).toBe(units);
});

test('a request counts as the work that it is, and as its response if that is more; its waits count together', () => {
  const meter = new Meter('me', undefined, new CpuThrottle(1));
  meter.charge(3);
  for (const milliseconds of [20, 30]) meter.countWait(milliseconds);
  expect(meter.load('read')).toEqual({ account: 'me', units: 3, spent: 50 });
  expect(meter.load('change')).toEqual({ account: 'changes of me', units: 30, spent: 50 });
  meter.expect(4 * 16_384 + 1);
  expect([meter.load('read').units, meter.load('change').units]).toEqual([5, 30]);
});

test('what costs nothing is free for a caller that has used more than its quota, as other processes may let it', () => {
  const charge = () => {
    throw new Error('No units are left.');
  };
  const meter = new Meter('me', { charge }, new CpuThrottle(1));
  expect(() => meter.charge(0)).not.toThrow();
  expect(() => meter.charge(1)).toThrow('No units are left.');
});

test('what a request costs is charged with the cost before it; the parts of a stream are charged on their own', () => {
  const charge = vi.fn();
  const meter = new Meter('me', { charge }, new CpuThrottle(1));
  meter.identify();
  meter.charge(3);
  for (const units of [0, 5, 5]) meter.chargePart(units);
  expect(charge.mock.calls).toEqual([
    ['me', 1, 1],
    ['me', 3, 4],
    ['me', 5],
    ['me', 5],
  ]);
});

test('a request whose client has gone waits no longer', async () => {
  let isAborted = false;
  const meter = new Meter('me', undefined, new CpuThrottle(1), () => isAborted);
  const throttle = new CpuThrottle(1);
  meter.waitFor(throttle, 1);
  const waiting = [meter.waitFor(throttle, 1), meter.waitFor(throttle, 1)];
  isAborted = true;
  for (const wait of waiting) await expect(wait).rejects.toThrow('The request was aborted.');
});
