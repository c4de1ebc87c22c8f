import postgres from 'postgres';
import { DATABASE_URL, POOL_SIZE } from './process.js';

/** PostgreSQL's bigint as a number: as JSON has it. */
const bigint = { to: 20, from: [20], parse: Number, serialize: String };

/** The pool of connections; its tagged templates are prepared statements. */
export const sql = postgres(DATABASE_URL, { max: POOL_SIZE, types: { bigint } });

/** Whether the statement failed for a foreign key that names no row. */
export function isUnknownReference(error) {
  return error.code === '23503';
}
