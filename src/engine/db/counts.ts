import { sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Int64 } from '../int64.ts';
import { loaderOf } from './batch.ts';
import { type BatchRequest, batchedByShape } from './batch-by-shape.ts';
import type { Database } from './client.ts';
import { conditionOf, type List, whereAll } from './list.ts';

/** Counts the rows of a list that pass filters. Equal requests at the same time are counted once. */
export function rootCount<Filter extends string>(database: Database, list: List<List['columns'], Filter>) {
  type Request = BatchRequest & { readonly names: readonly Filter[] };
  const name = `${list.name}.count`;
  const compile = ({ names }: Request) => {
    const conditions = names.map((filter) => conditionOf(list.filters[filter]));
    const query = sql`select count(*) from ${list.countFrom?.(names) ?? list.from} ${whereAll(list, conditions)}`;
    return database.statement(name, 'count', query, { count: Number });
  };
  const count = batchedByShape(database, name, compile, async (statement, requests) => {
    const [row] = await statement(requests[0].values);
    return requests.map(() => row?.count ?? 0);
  });
  return ({ names, values }: Omit<Request, 'shape'>) => count({ shape: names.join(), names, values });
}

/** Counts the rows that belong to a parent; one statement counts for many parents. */
export function nestedCount(database: Database, list: List, parent: PgColumn): (parentId: Int64) => Promise<number> {
  const name = `${list.name}.countBy.${parent.name}`;
  const ofParents = sql`${parent} = any(${sql.placeholder('parents')}::bigint[])`;
  const query = sql`select ${parent}, count(*) from ${list.from} ${whereAll(list, [ofParents])} group by ${parent}`;
  const statement = database.statement(name, 'count', query, { parentId: parent, count: Number });
  const countMany = (parents: readonly Int64[]) => statement({ parents });
  const counts = loaderOf(database, name, countMany, (row) => row.parentId as Int64);
  return async (parentId) => (await counts.load(parentId))?.count ?? 0;
}
