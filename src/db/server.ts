import postgres from 'postgres';
import { ServiceError } from '../errors.ts';
import { DatabaseError, type Driver, type Parameter, type Query, type RawRow } from './driver.ts';
import { createPool } from './pool.ts';

/** How long a statement may take, in milliseconds: the server's own limit first, then ours, for a server that is frozen. */
const STATEMENT_TIMEOUT = 9_000;
const DEADLINE = 10_000;
/**
 * To connect, and between attempts, in seconds: together less than the deadline, for a statement that is cancelled while
 * its connection is made would leave it unusable for good (postgres.js 3.4.9).
 */
const CONNECT_TIMEOUT = 5;
const BACKOFF = 0.1;
const OLDEST_SERVER = 140_000;
const NO_TIMEOUTS =
  'set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0';
const RETRY_SOON = { 'retry-after': '1' };

const asText = { serialize: (value: unknown) => `${value}`, parse: (text: string) => text };

/**
 * Connects to a PostgreSQL server, 14 or newer.
 *
 * @throws {Error} with one clear line when the server cannot be reached, refuses us or is too old
 */
export async function connectServer(url: string, poolSize: number): Promise<Driver> {
  const options = {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT,
    backoff: () => BACKOFF,
    fetch_types: false,
    onnotice: () => {},
    types: { int8: { to: 20, from: [20], ...asText }, timestamptz: { to: 1184, from: [1184], ...asText } },
    connection: {
      application_name: 'pet-store',
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      statement_timeout: STATEMENT_TIMEOUT,
      lock_timeout: STATEMENT_TIMEOUT,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT,
    },
  };
  const pool = createPool(poolSize, () => postgres(url, options));
  const query: Query = (text, parameters) => pool.use((client) => run(client, text, parameters, DEADLINE));
  try {
    const [[version] = []] = await query("select current_setting('server_version_num')::int", []);
    if (typeof version !== 'number' || version < OLDEST_SERVER) {
      throw new Error(`it is PostgreSQL ${Math.floor(Number(version) / 10_000)}; 14 or newer is needed`);
    }
  } catch (error) {
    await pool.end({ timeout: 0 });
    throw new Error(`The database at ${withoutSecrets(url)} cannot be used: ${firstCause(error)}.`);
  }
  return {
    kind: 'server',
    query,
    transaction: async (work) => {
      const results: Awaited<ReturnType<typeof work>>[] = [];
      await pool.use((client) =>
        client.begin(async (transaction) => {
          await transaction.unsafe(NO_TIMEOUTS);
          results.push(await work((text, parameters) => run(transaction, text, parameters)));
        }),
      );
      return results[0] as Awaited<ReturnType<typeof work>>;
    },
    close: () => pool.end({ timeout: 5 }),
  };
}

function run(
  client: postgres.ISql,
  text: string,
  parameters: readonly Parameter[],
  deadline?: number,
): Promise<readonly RawRow[]> {
  return new Promise((resolve, reject) => {
    const pending = client.unsafe(text, [...parameters], { prepare: true }).values();
    const late = () => {
      pending.cancel();
      reject(tooSlow(`No answer within ${deadline} ms: ${text}`));
    };
    const timer = deadline === undefined ? undefined : setTimeout(late, deadline);
    pending.then(
      (rows) => {
        clearTimeout(timer);
        resolve(rows);
      },
      (error) => {
        clearTimeout(timer);
        reject(translate(error));
      },
    );
  });
}

function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  const { code, constraint_name: constraint } = error as Partial<postgres.PostgresError>;
  if (code === undefined) return error;
  if (code === '57014' || code === '55P03') return tooSlow(error);
  const isState = /^[0-9A-Z]{5}$/.test(code);
  if (!isState || /^(08|53|57P|25006)/.test(code)) {
    const message = 'The database cannot be reached just now; try again.';
    return new ServiceError('UNAVAILABLE', message, { cause: error, headers: RETRY_SOON });
  }
  return new DatabaseError(error.message, code, constraint, error);
}

function tooSlow(cause: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The database took too long; try again.', { cause, headers: RETRY_SOON });
}

function firstCause(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  if (innermost instanceof AggregateError) innermost = innermost.errors[0];
  return innermost instanceof Error ? innermost.message : String(innermost);
}

function withoutSecrets(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}
