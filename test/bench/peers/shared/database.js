import postgres from 'postgres';
import { DATABASE_URL, POOL_SIZE } from './process.js';

/** Reads PostgreSQL's bigint as a number, as JSON does. */
const bigint = { to: 20, from: [20], parse: Number, serialize: String };

/** Clients of one connection each, because one with several gets slower with each statement (postgres.js 3.4.9). */
const members = Array.from({ length: POOL_SIZE }, () => ({
  client: postgres(DATABASE_URL, { max: 1, types: { bigint } }),
  uses: 0,
}));

/** The pool of connections; its tagged templates are prepared statements. */
export const sql = (strings, ...values) => use((client) => client(strings, ...values));
sql.begin = (work) => use((client) => client.begin(work));

/** Runs it on the connection with the fewest statements in progress. */
function use(run) {
  const member = members.reduce((least, other) => (other.uses < least.uses ? other : least));
  const free = () => {
    member.uses--;
  };
  member.uses++;
  const running = run(member.client);
  running.then(free, free);
  return running;
}

/** Whether the statement failed because of a foreign key. */
export function isUnknownReference(error) {
  return error.code === '23503';
}
