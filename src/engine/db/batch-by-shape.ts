import { LRUCache } from 'lru-cache';
import { stringifyJson } from '../json.ts';
import { batched } from './batch.ts';
import type { Database, Statement } from './client.ts';

/** How many compiled statements of one kind are cached, because clients choose filters, sort and direction. */
const MAX_SHAPES = 100;

/** What all requests of a batch have in common. */
export interface BatchRequest {
  readonly shape: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Batches requests that are alike: others neither wait for them nor fail with them. `run` answers in their order. */
export function batchedByShape<Request extends BatchRequest, Row, Value>(
  database: Database,
  name: string,
  compile: (request: Request) => Statement<Row>,
  run: (statement: Statement<Row>, requests: readonly [Request, ...Request[]]) => Promise<readonly Value[]>,
): (request: Request) => Promise<Value> {
  const statements = new LRUCache<string, Statement<Row>>({ max: MAX_SHAPES });
  const groups = new Map<string, { readonly load: (request: Request) => Promise<Value>; waiting: number }>();

  return async (request) => {
    const key = request.shape + stringifyJson(request.values);
    const group = groups.get(key) ?? { load: batched<Request, Value>(database, name, runAll), waiting: 0 };
    groups.set(key, group);
    group.waiting++;
    try {
      return await group.load(request);
    } finally {
      // Clients choose the values, so an unused group must not stay in memory.
      if (--group.waiting === 0) groups.delete(key);
    }
  };

  function runAll(requests: readonly Request[]): Promise<readonly Value[]> {
    const [first, ...others] = requests as readonly [Request, ...Request[]];
    const statement = statements.get(first.shape) ?? compile(first);
    statements.set(first.shape, statement);
    return run(database.bind(statement), [first, ...others]);
  }
}
