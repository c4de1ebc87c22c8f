import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inTurns, largestOf, sharesOf } from '../../../src/engine/webhooks/fairness.ts';

const callers = fc.array(fc.constantFrom('key:a', 'key:b', 'ip:127.0.0.1', null), { minLength: 1, maxLength: 100 });
const webhooksOf = (creators: readonly (string | null)[]) => creators.map((createdBy, id) => ({ id, createdBy }));

describe('webhooks share the work:', () => {
  test('all of it, each caller as much as any other, and each webhook of a caller as much as its others', () => {
    fc.assert(
      fc.property(callers, (creators) => {
        const shares = sharesOf(webhooksOf(creators));
        const ofCaller = (caller: string | null) => shares.filter((_, index) => creators[index] === caller);
        for (const caller of new Set(creators)) {
          const own = ofCaller(caller);
          expect(own.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1 / new Set(creators).size);
          expect(new Set(own).size).toBe(1);
        }
      }),
    );
  });

  test('of several callers, a hundred deliveries each are made at once, the earliest first; of one caller, all', () => {
    fc.assert(
      fc.property(callers, fc.array(fc.nat(99), { maxLength: 400 }), (creators, targets) => {
        const webhooks = webhooksOf(creators);
        const due = targets.map((target, n) => ({ id: (n * 7) % 401, webhookId: target % creators.length }));
        const made = inTurns(due, webhooks);
        const isInOrder = made.every(([{ id }], index) => index === 0 || id > (made[index - 1]?.[0].id ?? id));
        expect(isInOrder).toBe(true);
        for (const [delivery, webhook] of made) expect(webhook.id).toBe(delivery.webhookId);
        for (const caller of new Set(creators)) {
          const own = due.filter(({ webhookId }) => creators[webhookId] === caller);
          const count = made.filter(([, { createdBy }]) => createdBy === caller).length;
          expect(count).toBe(new Set(creators).size === 1 ? own.length : Math.min(100, own.length));
        }
      }),
    );
  });
});

test('of too many pending deliveries, those of the largest webhook of the caller with the most are dropped', () => {
  const many = Array.from({ length: 9 }, (_, id) => ({ id, createdBy: 'key:a', count: 100 + id }));
  expect(largestOf([{ id: 10, createdBy: 'key:b', count: 500 }, ...many])?.id).toBe(8);
  expect(largestOf([{ id: 10, createdBy: 'key:b', count: 1_500 }, ...many])?.id).toBe(10);
  expect(largestOf([])).toBeUndefined();
});
