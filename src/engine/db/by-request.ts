import { type SQL, sql } from 'drizzle-orm';

/**
 * Stores, for the triggers of a statement, the id of the request that changes its rows: the placeholder `requestId`, null
 * for none. A further column of each statement that changes rows with events, after those that are read: the triggers run
 * when all columns are computed, and the setting ends with the transaction. The column is short: it says whether the
 * setting is null.
 */
export const byRequest: SQL = sql`set_config('events.request', ${sql.placeholder('requestId')}, true) is null`;

/**
 * The same for a statement that changes rows for many requests. It has a part named `given`, in which each request has a
 * row, with its id as `"requestId"`.
 *
 * @param key what tells the requests apart, in `given` and by the `requestKey` of the events' source in the changed rows
 */
export function byRequests(key: SQL): SQL {
  return sql`(select set_config('events.request',
    '{' || string_agg('"' || ${key} || '":"' || "requestId" || '"', ',') || '}', true) is null from given)`;
}
