import { stringifyJson } from '../json.ts';
import type { Database, Statement, TracedRequests } from './client.ts';
import { DatabaseError, LockTimeout } from './violations.ts';

/** How many statements of one batcher may be in flight. */
const MAX_IN_FLIGHT = 2;
/** A statement that takes longer than this, in milliseconds, no longer counts as in flight. */
const SLOW_AFTER = 100;
const MAX_BATCH_SIZE = 1000;

/** Gives the values of many items, in their order; a value that takes longer than the others may be a promise. */
export type Batched<Item, Value> = (items: readonly Item[]) => Promise<readonly (Value | Promise<Value>)[]>;

interface Call<Item, Value> {
  readonly item: Item;
  readonly requests: TracedRequests | undefined;
  readonly resolve: (value: Value | Promise<Value>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches calls across all requests: those that arrive while statements are in flight share the next one. A slow
 * statement doesn't hold up the next, so only its own callers wait for it.
 *
 * @param run handles all items with one statement. If the database rejects it, or it waits too long for a lock, nothing
 *   has happened, and each item runs again on its own, so that only the bad ones fail
 */
export function batched<Item, Value>(
  database: Database,
  name: string,
  run: Batched<Item, Value>,
  max = MAX_BATCH_SIZE,
): (item: Item) => Promise<Value> {
  const { tracing } = database.probe;
  const waiting: Call<Item, Value>[] = [];
  let inFlight = 0;
  let isScheduled = false;

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, requests: tracing?.current(), resolve, reject });
      schedule();
    });

  /** Sends the batch after all input that has arrived by now is read, so that its calls are in the same batch. */
  function schedule(): void {
    if (isScheduled || inFlight === MAX_IN_FLIGHT || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(sendWaiting);
  }

  function sendWaiting(): void {
    isScheduled = false;
    while (inFlight < MAX_IN_FLIGHT && waiting.length > 0) void send(waiting.splice(0, max));
  }

  async function send(batch: readonly Call<Item, Value>[]): Promise<void> {
    database.probe.batch(name, batch.length);
    const release = acquire();
    try {
      const values = await runFor(batch);
      for (let index = 0; index < batch.length; index++) {
        (batch[index] as Call<Item, Value>).resolve(values[index] as Value | Promise<Value>);
      }
    } catch (error) {
      const isUndone = error instanceof DatabaseError || error instanceof LockTimeout;
      for (const call of batch) {
        if (isUndone && batch.length > 1)
          call.resolve(runFor([call]).then(([value]) => value as Value | Promise<Value>));
        else call.reject(error);
      }
    } finally {
      release();
    }
  }

  function runFor(batch: readonly Call<Item, Value>[]): ReturnType<Batched<Item, Value>> {
    const work = () => run(batch.map(({ item }) => item));
    const requests = tracing?.together(batch);
    return requests === undefined ? work() : requests.call(work);
  }

  /** Counts a statement as in flight; returns what to call when it ends. */
  function acquire(): () => void {
    inFlight++;
    const release = () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      inFlight--;
      schedule();
    };
    let timer: NodeJS.Timeout | undefined = setTimeout(release, SLOW_AFTER);
    return release;
  }
}

/**
 * Batches writes across all requests.
 *
 * @param together the statement that writes `rows`, the items of `writtenItems`; the row of each has its `index`, too. It
 *   skips those that can't be written or would have to wait for a lock: `alone` then writes them, and waits or fails
 */
export function batchWrites<Item extends object, Row>(
  database: Database,
  name: string,
  together: Statement<Row & { readonly index: number }>,
  alone: (item: Item) => Promise<Row>,
): (item: Item) => Promise<Row> {
  return batched(database, name, async (items) => {
    const later = database.bind(alone);
    const [first, ...others] = items as readonly [Item, ...Item[]];
    if (others.length === 0) return [await alone(first)];
    const rows = await together({ rows: writtenItems(items) });
    const written = new Map(rows.map(({ index, ...row }) => [index, row as Row]));
    return items.map((item, index) => written.get(index) ?? later(item));
  });
}

/** The JSON list of items to write, each with its `index`. */
export function writtenItems(items: readonly object[]): string {
  // The index comes first: a property added after a spread gives each object its own hidden class, which is slow in V8.
  return stringifyJson(items.map((item, index) => ({ index, ...item })));
}

export interface Loader<Key, Value> {
  /** Undefined when no row has the key. */
  load(key: Key): Promise<Value | undefined>;
  loadMany(keys: readonly Key[]): Promise<readonly (Value | undefined)[]>;
}

/** Reads each key once per batch. Nothing is cached: a row is as fresh as with a query of its own. */
export function loaderOf<Key, Row>(
  database: Database,
  name: string,
  fetch: (keys: readonly Key[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): Loader<Key, Row> {
  const load = batched<readonly Key[], readonly (Row | undefined)[]>(database, name, async (keyLists) => {
    const distinct = new Set<Key>();
    for (const list of keyLists) for (const key of list) distinct.add(key);
    const keys = [...distinct];
    const rows = new Map<Key, Row>();
    const read = database.bind(fetch);
    for (let from = 0; from < keys.length; from += MAX_BATCH_SIZE) {
      for (const row of await read(keys.slice(from, from + MAX_BATCH_SIZE))) rows.set(keyOf(row), row);
    }
    return keyLists.map((list) => list.map((key) => rows.get(key)));
  });
  return {
    load: async (key) => (await load([key]))[0],
    loadMany: (keys) => load(keys),
  };
}
