import type { Int64 } from '../int64.ts';
import type { Webhook } from './table.ts';

/** How many requests are started at once for the webhooks of a caller: those of other callers would wait for them. */
const MAX_OF_CALLER_AT_ONCE = 100;

/** What part of the work each webhook gets: callers share it equally, and so do the webhooks of each caller. */
export function sharesOf(webhooks: readonly Pick<Webhook, 'createdBy'>[]): readonly number[] {
  const callers = webhooks.map(({ createdBy }) => createdBy);
  return callers.map((caller) => 1 / (new Set(callers).size * callers.filter((one) => one === caller).length));
}

/** The deliveries with their webhooks, the earliest first; if there are several callers, only some of each. */
export function inTurns<
  D extends { readonly id: Int64; readonly webhookId: Int64 },
  W extends Pick<Webhook, 'id' | 'createdBy'>,
>(due: readonly D[], webhooks: readonly W[]): readonly (readonly [D, W])[] {
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const counts = new Map(webhooks.map(({ createdBy }) => [createdBy, 0]));
  const max = counts.size > 1 ? MAX_OF_CALLER_AT_ONCE : due.length;
  return due
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((delivery) => [delivery, byId.get(delivery.webhookId) as W] as const)
    .filter(([, { createdBy }]) => {
      const count = (counts.get(createdBy) ?? 0) + 1;
      counts.set(createdBy, count);
      return count <= max;
    });
}

/** The webhook with the most pending deliveries, of the caller whose webhooks have the most together. */
export function largestOf<B extends Pick<Webhook, 'createdBy'> & { readonly count: number }>(
  backlogs: readonly B[],
): B | undefined {
  const ofCaller = new Map<string | null, number>();
  for (const { createdBy, count } of backlogs) ofCaller.set(createdBy, (ofCaller.get(createdBy) ?? 0) + count);
  const total = ({ createdBy }: B) => ofCaller.get(createdBy) as number;
  return backlogs.toSorted((one, other) => total(other) - total(one) || other.count - one.count)[0];
}
