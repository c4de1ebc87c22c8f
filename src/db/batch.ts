import DataLoader from 'dataloader';
import type { Database } from './client.ts';

/** At most this many keys travel in one statement, and at most this many statements of one kind at once. */
const LARGEST_BATCH = 1000;
const MOST_IN_FLIGHT = 2;

/**
 * Coalesces reads by key across all requests: while statements are in flight, the keys that arrive gather and go
 * together as one. Nothing is kept: each answer is read after it was asked for, so it is as fresh as a query of its own.
 *
 * @param name what metrics call the batches
 * @param fetch reads many keys with one statement; answers in the keys' order
 */
export function coalesce<Key, Value>(
  database: Database,
  name: string,
  fetch: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let inFlight = 0;
  const waiting: (() => void)[] = [];

  const loader = new DataLoader<Key, Value>(
    async (keys) => {
      database.probe.batch(name, keys.length);
      try {
        return await fetch(keys);
      } finally {
        inFlight--;
        const next = waiting.shift();
        if (next !== undefined) start(next);
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
  return (key) => loader.load(key);

  function start(dispatch: () => void): void {
    inFlight++;
    setImmediate(dispatch);
  }
}

/** Puts rows in the order of the keys that asked for them; undefined where no row has the key. */
export function inOrder<Key, Row>(
  keys: readonly Key[],
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): (Row | undefined)[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return keys.map((key) => byKey.get(key));
}

/** The rows under each key, in the order they came. */
export function groupBy<Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}
