import { stringifyJson } from '../json.ts';
import type { Database, TracedRequests } from './client.ts';
import { DatabaseError } from './failures.ts';

/** At most this many statements of one kind at once, but for those that take longer than the patience, in milliseconds. */
const MAX_IN_FLIGHT = 2;
const PATIENCE = 100;
/** At most this many items travel in one statement. */
const MAX_BATCH_SIZE = 1000;

/** Does the same for many items at once, in their order; what still takes a while for one is a promise there. */
export type Batched<Item, Value> = (items: readonly Item[]) => Promise<readonly (Value | Promise<Value>)[]>;

interface Waiting<Item, Value> {
  readonly item: Item;
  /** The traced requests that wait for it. */
  readonly requests: TracedRequests | undefined;
  readonly resolve: (value: Value | Promise<Value>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers calls across all requests: while statements are in flight, what arrives waits and goes together as one. A
 * statement that is slow gives way to the next, so that nobody but its own callers waits for it.
 *
 * @param name what metrics call the batches
 * @param run does all of it with one statement. When the database rejects that, nothing is done, and each item is run
 *   again on its own: it fails on its own
 */
export function batched<Item, Value>(
  database: Database,
  name: string,
  run: Batched<Item, Value>,
): (item: Item) => Promise<Value> {
  const { tracing } = database.probe;
  const waiting: Waiting<Item, Value>[] = [];
  let inFlight = 0;
  let isScheduled = false;

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, requests: tracing?.current(), resolve, reject });
      schedule();
    });

  /** Leaves when everything that has arrived by now has been read, so that it all comes along. */
  function schedule(): void {
    if (isScheduled || inFlight === MAX_IN_FLIGHT || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(leave);
  }

  function leave(): void {
    isScheduled = false;
    while (inFlight < MAX_IN_FLIGHT && waiting.length > 0) void send(waiting.splice(0, MAX_BATCH_SIZE));
  }

  async function send(batch: readonly Waiting<Item, Value>[]): Promise<void> {
    database.probe.batch(name, batch.length);
    const release = acquire();
    try {
      const values = await runFor(batch);
      for (let index = 0; index < batch.length; index++) {
        (batch[index] as Waiting<Item, Value>).resolve(values[index] as Value | Promise<Value>);
      }
    } catch (error) {
      const isRejected = error instanceof DatabaseError && batch.length > 1;
      for (const one of batch) {
        const { resolve, reject } = one;
        if (isRejected) resolve(runFor([one]).then(([value]) => value as Value | Promise<Value>));
        else reject(error);
      }
    } finally {
      release();
    }
  }

  function runFor(batch: readonly Waiting<Item, Value>[]): ReturnType<Batched<Item, Value>> {
    const work = () => run(batch.map(({ item }) => item));
    const requests = tracing?.together(batch.map((one) => one.requests));
    return requests === undefined ? work() : requests.call(work);
  }

  /** Takes a place in flight; it is free again when the statement ends, or when the patience does. */
  function acquire(): () => void {
    inFlight++;
    let isFree = false;
    const free = () => {
      if (isFree) return;
      isFree = true;
      inFlight--;
      schedule();
    };
    const timer = setTimeout(free, PATIENCE);
    return () => {
      clearTimeout(timer);
      free();
    };
  }
}

/**
 * Gathers writes across all requests.
 *
 * @param name what metrics call the batches
 * @param together writes many with one statement, given as a JSON list in which each tells its `place`. Leaves out, at
 *   once, what cannot be written or would have to wait for somebody: that is written alone, and waits or fails alone
 */
export function batchWrites<Item extends object, Row>(
  database: Database,
  name: string,
  together: (items: string) => Promise<readonly (Row & { readonly place: number })[]>,
  alone: (item: Item) => Promise<Row>,
): (item: Item) => Promise<Row> {
  return batched(database, name, async (items) => {
    const later = database.bind(alone);
    const [first, ...others] = items as readonly [Item, ...Item[]];
    if (others.length === 0) return [await alone(first)];
    // The place comes first: what is added to a spread object gives each a shape of its own, which V8 is slow with.
    const rows = await together(stringifyJson(items.map((item, place) => ({ place, ...item }))));
    const written = new Map(rows.map(({ place, ...row }) => [place, row as Row]));
    return items.map((item, place) => written.get(place) ?? later(item));
  });
}

/** Reads by key that are coalesced across all requests. */
export interface Loader<Key, Value> {
  /** Undefined where nothing has the key. */
  load(key: Key): Promise<Value | undefined>;
  /** The same for many at once, in their order. */
  loadMany(keys: readonly Key[]): Promise<readonly (Value | undefined)[]>;
}

/**
 * Coalesces reads by key across all requests; a key that several ask for is read once. Nothing is kept: each answer is
 * read after it was asked for, so it is as fresh as a query of its own.
 *
 * @param name what metrics call the batches
 * @param fetch reads the rows of many keys with one statement
 */
export function loaderOf<Key, Row>(
  database: Database,
  name: string,
  fetch: (keys: readonly Key[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): Loader<Key, Row> {
  const load = batched<readonly Key[], readonly (Row | undefined)[]>(database, name, async (asked) => {
    const keys = [...new Set(asked.flat())];
    const rows = new Map<Key, Row>();
    const read = database.bind(fetch);
    for (let from = 0; from < keys.length; from += MAX_BATCH_SIZE) {
      for (const row of await read(keys.slice(from, from + MAX_BATCH_SIZE))) rows.set(keyOf(row), row);
    }
    return asked.map((ofOne) => ofOne.map((key) => rows.get(key)));
  });
  return {
    load: async (key) => (await load([key]))[0],
    loadMany: (keys) => load(keys),
  };
}
