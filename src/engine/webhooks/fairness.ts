import type { Int64 } from '../int64.ts';
import type { Webhook } from './table.ts';

/** How many requests are started in a round for the webhooks of a caller: those of other callers wait for its end. */
const MAX_OF_CALLER_AT_ONCE = 100;

type Created = Pick<Webhook, 'id' | 'createdBy'>;

/** Who has created a webhook; of each webhook of an earlier version, which did not store it, another caller. */
function callerOf({ id, createdBy }: Created): string {
  return createdBy ?? `webhook ${id}`;
}

/** What part of the work each webhook gets: callers share it equally, and so do the webhooks of each caller. */
export function sharesOf(webhooks: readonly Created[]): readonly number[] {
  const callers = webhooks.map(callerOf);
  return callers.map((caller) => 1 / (new Set(callers).size * callers.filter((one) => one === caller).length));
}

/**
 * The deliveries with their webhooks: the first one of each webhook, the second one of each, and so on; if there are
 * several callers, only some of each.
 */
export function inTurns<D extends { readonly id: Int64; readonly webhookId: Int64 }, W extends Created>(
  due: readonly D[],
  webhooks: readonly W[],
): readonly (readonly [D, W])[] {
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const max = new Set(webhooks.map(callerOf)).size > 1 ? MAX_OF_CALLER_AT_ONCE : due.length;
  const [ofWebhook, ofCaller] = [counter<Int64>(), counter<string>()];
  return due
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((delivery) => ({ delivery, turn: ofWebhook(delivery.webhookId) }))
    .toSorted((one, other) => one.turn - other.turn)
    .map(({ delivery }) => [delivery, byId.get(delivery.webhookId) as W] as const)
    .filter(([, webhook]) => ofCaller(callerOf(webhook)) <= max);
}

/** The webhook with the most pending deliveries, of the caller whose webhooks have the most together. */
export function largestOf<B extends Created & { readonly count: number }>(backlogs: readonly B[]): B | undefined {
  const ofCallers = new Map<string, number>();
  for (const one of backlogs) ofCallers.set(callerOf(one), (ofCallers.get(callerOf(one)) ?? 0) + one.count);
  const total = (one: B) => ofCallers.get(callerOf(one)) as number;
  return backlogs.toSorted((one, other) => total(other) - total(one) || other.count - one.count)[0];
}

/** Makes a function that counts how often it was called with a key. */
function counter<K>(): (key: K) => number {
  const counts = new Map<K, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
}
