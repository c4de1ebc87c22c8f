import { expect } from 'vitest';

/** An event, as it is stored. */
export interface Received {
  readonly position: number;
  readonly time: string;
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly id?: number; readonly petId?: number; readonly version: number };
}

/** The versions of rows, by subject; undefined for a row that is gone. */
export type Versions = ReadonlyMap<string, number | undefined>;

/**
 * Asserts what the feed promises of these events: each version of each row is published exactly once and in order, from the
 * one after `before` to the last, and causes come before effects.
 */
export function assertInOrder(received: readonly Received[], before: Versions, after: Versions): void {
  const versions = new Map(before);
  const isGone = new Set<string>();
  for (const { type, subject, data } of received) {
    expect(isGone.has(subject), `${type} of ${subject}, which is gone`).toBe(false);
    const last = versions.get(subject) ?? 0;
    // A deletion has the version that was deleted.
    const isDeletion = /deleted|cancelled/.test(type);
    expect(data.version, `${type} of ${subject} after version ${last}`).toBe(isDeletion ? last : last + 1);
    versions.set(subject, data.version);
    if (isDeletion) isGone.add(subject);
  }
  for (const subject of isGone) versions.set(subject, undefined);
  for (const [subject, version] of after) expect(versions.get(subject), subject).toBe(version);
  assertCausesFirst(received);
}

/** A movement of stock follows its order, and what changes a pet's status follows that. */
function assertCausesFirst(received: readonly Received[]): void {
  const causes = new Map<number, { orders: number; movements: number }>();
  for (const { type, subject, data } of received) {
    const pet = (subject.startsWith('pets/') ? data.id : data.petId) as number;
    const counts = causes.get(pet) ?? { orders: 0, movements: 0 };
    causes.set(pet, counts);
    if (type.startsWith('order.')) counts.orders++;
    if (type !== 'inventory.changed') continue;
    counts.movements++;
    expect(counts.movements, `movements of pet ${pet} until now`).toBeLessThanOrEqual(counts.orders);
  }
}
