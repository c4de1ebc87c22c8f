import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { LRUCache } from 'lru-cache';
import type { Int64 } from '../int64.ts';
import { batched, loaderOf } from './batch.ts';
import type { Database, Statement } from './client.ts';
import { always, conditionOf, type ListSource, type RowFilter, whereAll } from './keyset.ts';
import { type Cache, memo, valuesKey } from './memo.ts';
import { integer } from './row.ts';

/** How many compiled statements of a list are cached: there is one for each combination of filters. */
const MAX_SHAPES = 100;

interface CountRequest {
  /** Identifies the statement among those of the list. */
  readonly shape: string;
  readonly from: SQL;
  readonly filters: () => readonly RowFilter[];
  /** The values of the filters' placeholders. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Counts the rows of a list that pass filters. Requests at the same time are batched, and equal ones counted once. */
export function rootCount(database: Database, name: string): (request: CountRequest) => Promise<number> {
  const statements: Cache<Statement<{ count: number }>> = new LRUCache({ max: MAX_SHAPES });
  return batched<CountRequest, number>(database, name, async (requests) => {
    const counts = new Map<string, Promise<number>>();
    const results = requests.map((request) =>
      memo(counts, request.shape + valuesKey(request.values), () => count(request)),
    );
    await Promise.allSettled(results);
    return results;
  });

  async function count({ shape, from, filters, values }: CountRequest): Promise<number> {
    const statement = memo(statements, shape, () => {
      const query = sql`select count(*) from ${from} ${whereAll(filters().map(conditionOf))}`;
      return database.statement(name, 'count', query, { count: integer });
    });
    const [row] = await statement(values);
    return row?.count ?? 0;
  }
}

/** Counts the rows that belong to a parent; one statement counts for many parents. */
export function nestedCount(
  database: Database,
  plan: ListSource & { readonly name: string },
  parent: PgColumn,
): (parentId: Int64) => Promise<number> {
  const name = `${plan.name}.countBy.${parent.name}`;
  const ofParents = sql`${parent} = any(${sql.placeholder('parents')}::bigint[])`;
  const query = sql`select ${parent}, count(*) from ${plan.from} ${whereAll([...always(plan), ofParents])} group by ${parent}`;
  const statement = database.statement(name, 'count', query, { parentId: parent, count: integer });
  const counts = loaderOf(
    database,
    name,
    (parents: readonly Int64[]) => statement({ parents }),
    (row) => row.parentId as Int64,
  );
  return async (parentId) => (await counts.load(parentId))?.count ?? 0;
}
