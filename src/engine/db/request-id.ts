import { type SQL, sql } from 'drizzle-orm';

/**
 * A further column of each statement that changes rows with events, after those that are read: it stores the id of the
 * request (the placeholder `requestId`, null for none) for the triggers, which run when all columns are computed. The
 * setting ends with the transaction.
 */
export const storeRequestId: SQL = sql`set_config('events.request', ${sql.placeholder('requestId')}, true) is null`;

/**
 * The same for many requests: the statement's part `given` has a row for each, with its id as `"requestId"`.
 *
 * @param key distinguishes the requests, in `given` and by the `requestKey` of the events' source in the changed rows
 */
export function storeRequestIds(key: SQL): SQL {
  return sql`(select set_config('events.request',
    '{' || string_agg('"' || ${key} || '":"' || "requestId" || '"', ',') || '}', true) is null from given)`;
}
