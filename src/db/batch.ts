import DataLoader from 'dataloader';
import type { Database } from './client.ts';
import { DatabaseError } from './driver.ts';

/** At most this many statements of one kind at once, but for those that take longer than the patience, in milliseconds. */
const MOST_IN_FLIGHT = 2;
const PATIENCE = 100;
/** At most this many items travel in one statement. */
const LARGEST_BATCH = 1000;

/** Makes one asynchronous function of many calls. Rejects for an item alone where the rest can do without it. */
export type Batched<Item, Value> = (items: readonly Item[]) => Promise<readonly Value[]>;

/**
 * Gathers calls across all requests: while statements are in flight, what arrives waits and goes together as one. A
 * statement that is slow gives way to the next, so that nobody but its own callers waits for it.
 *
 * @param name what metrics call the batches
 * @param run does all of it with one statement; answers in the items' order. When the database refuses, each item is
 *   run again on its own, and so fails on its own
 */
export function gather<Item, Value>(
  database: Database,
  name: string,
  run: Batched<Item, Value>,
): (item: Item) => Promise<Value> {
  let inFlight = 0;
  const waiting: (() => void)[] = [];

  const loader = new DataLoader<Item, Value>(
    async (items) => {
      database.probe.batch(name, items.length);
      const end = begin();
      try {
        return await run(items);
      } catch (error) {
        if (items.length === 1 || !(error instanceof DatabaseError)) throw error;
        return await Promise.all(items.map((item) => run([item]).then(([value]) => value as Value, toError)));
      } finally {
        end();
      }
    },
    {
      cache: false,
      maxBatchSize: LARGEST_BATCH,
      batchScheduleFn: (dispatch) => {
        if (inFlight < MOST_IN_FLIGHT) start(dispatch);
        else waiting.push(dispatch);
      },
    },
  );
  return (item) => loader.load(item);

  function start(dispatch: () => void): void {
    inFlight++;
    setImmediate(dispatch);
  }

  /** The place in flight is free again when the statement ends, or when the patience does. */
  function begin(): () => void {
    let isFree = false;
    const free = () => {
      if (isFree) return;
      isFree = true;
      inFlight--;
      const next = waiting.shift();
      if (next !== undefined) start(next);
    };
    const timer = setTimeout(free, PATIENCE);
    return () => {
      clearTimeout(timer);
      free();
    };
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Reads by key that are coalesced across all requests. */
export interface KeyedReads<Key, Value> {
  /** Undefined where nothing has the key. */
  one(key: Key): Promise<Value | undefined>;
  /** The same for many at once, in their order. */
  many(keys: readonly Key[]): Promise<readonly (Value | undefined)[]>;
}

/**
 * Coalesces reads by key across all requests; a key that several ask for is read once. Nothing is kept: each answer is
 * read after it was asked for, so it is as fresh as a query of its own.
 *
 * @param name what metrics call the batches
 * @param fetch reads the rows of many keys with one statement
 */
export function coalesce<Key, Row>(
  database: Database,
  name: string,
  fetch: (keys: readonly Key[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): KeyedReads<Key, Row> {
  const load = gather<readonly Key[], readonly (Row | undefined)[]>(database, name, async (asked) => {
    const keys = [...new Set(asked.flat())];
    const rows = new Map<Key, Row>();
    for (let from = 0; from < keys.length; from += LARGEST_BATCH) {
      for (const row of await fetch(keys.slice(from, from + LARGEST_BATCH))) rows.set(keyOf(row), row);
    }
    return asked.map((ofOne) => ofOne.map((key) => rows.get(key)));
  });
  return {
    one: async (key) => (await load([key]))[0],
    many: (keys) => load(keys),
  };
}

/** The items under each key, in the order they came. */
export function groupBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
