import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inTurns, largestOf, sharesOf } from '../../../src/engine/webhooks/fairness.ts';

const creators = fc.array(fc.constantFrom('key:a', 'key:b', 'ip:127.0.0.1', null), { minLength: 1, maxLength: 100 });
const webhooksOf = (created: readonly (string | null)[]) => created.map((createdBy, id) => ({ id, createdBy }));
/** Webhooks of before are of one caller each. */
const callersOf = (created: readonly (string | null)[]) => created.map((createdBy, id) => createdBy ?? `${id}`);

describe('webhooks share the work:', () => {
  test('all of it, each caller as much as any other, and each webhook of a caller as much as its others', () => {
    fc.assert(
      fc.property(creators, (created) => {
        const [shares, callers] = [sharesOf(webhooksOf(created)), callersOf(created)];
        for (const caller of new Set(callers)) {
          const own = shares.filter((_, index) => callers[index] === caller);
          expect(own.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1 / new Set(callers).size);
          expect(new Set(own).size).toBe(1);
        }
      }),
    );
  });

  test('of several callers, a hundred deliveries each are made at once, of each webhook as many; of one caller, all', () => {
    fc.assert(
      fc.property(creators, fc.array(fc.nat(99), { maxLength: 400 }), (created, targets) => {
        const callers = callersOf(created);
        const due = targets.map((target, n) => ({ id: (n * 7) % 401, webhookId: target % created.length }));
        const made = inTurns(due, webhooksOf(created));
        for (const [delivery, webhook] of made) expect(webhook.id).toBe(delivery.webhookId);
        for (const caller of new Set(callers)) {
          const isOwn = ({ webhookId }: { readonly webhookId: number }) => callers[webhookId] === caller;
          const [all, own] = [due.filter(isOwn), made.map(([delivery]) => delivery).filter(isOwn)];
          expect(own).toHaveLength(new Set(callers).size === 1 ? all.length : Math.min(100, all.length));
          for (const id of new Set(all.map(({ webhookId }) => webhookId))) {
            const idsOf = (some: typeof due) => some.filter(({ webhookId }) => webhookId === id).map((one) => one.id);
            // Each has its turn, and the earliest of its own first.
            const earliest = idsOf(all).sort((one, other) => one - other);
            expect(idsOf(own).length).toBeGreaterThan(0);
            expect(idsOf(own)).toEqual(earliest.slice(0, idsOf(own).length));
          }
        }
      }),
    );
  });
});

test('of too many pending deliveries, those of the largest webhook of the caller with the most are dropped', () => {
  const many = Array.from({ length: 9 }, (_, id) => ({ id, createdBy: 'key:a', count: 100 + id }));
  expect(largestOf([{ id: 10, createdBy: 'key:b', count: 500 }, ...many])?.id).toBe(8);
  expect(largestOf([{ id: 10, createdBy: 'key:b', count: 1_500 }, ...many])?.id).toBe(10);
  const before = many.map((one) => ({ ...one, createdBy: null }));
  expect(largestOf([{ id: 10, createdBy: 'key:b', count: 500 }, ...before])?.id).toBe(10);
  expect(largestOf([])).toBeUndefined();
});
