import { sql } from 'drizzle-orm';
import type { Int64 } from '../int64.ts';
import { type Loader, loaderOf } from './batch.ts';
import type { Database } from './client.ts';
import { columnsOf, type ListSource, whereAll } from './keyset.ts';
import type { ListPlan } from './paging.ts';
import type { RowOf } from './row.ts';

/** Reads the rows of a list by their ids, batched across all requests. */
export function byId<C extends ListSource['columns']>(
  database: Database,
  list: Pick<ListPlan<C, string, never>, 'name' | 'columns' | 'from' | 'where' | 'id' | 'idOf'>,
): Loader<Int64, RowOf<C>> {
  const name = `${list.name}.byKeys`;
  const hasId = sql`${list.id} = any(${sql.placeholder('ids')}::bigint[])`;
  const query = sql`select ${columnsOf(list)} from ${list.from} ${whereAll(list, [hasId])}`;
  const read = database.statement(name, 'lookup', query, list.columns);
  return loaderOf(database, name, (ids: readonly Int64[]) => read({ ids }), list.idOf);
}
