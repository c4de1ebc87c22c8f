import postgres from 'postgres';
import { RETRY_SOON, ServiceError } from '../errors.ts';
import { connectOnce } from './connect-once.ts';
import { DatabaseError, type Driver, type Parameter, type Query, type RawRow, tooSlow } from './driver.ts';
import { type Connection, createPool } from './pool.ts';

/** The part of a deadline after which the server itself ends a statement; ours is for what began late, and a frozen server. */
const SERVERS_PART = 0.9;
/** How often a server looks whether we still wait for what it does, in milliseconds. */
const LOOKING = 200;
/** The part of it that connecting may take. */
const CONNECTING_PART = 0.5;
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
/** How long what is still under way may take when all is closed, in seconds. */
const CLOSING = 0.5;
const OLDEST_SERVER = 140_000;

const asText = { serialize: (value: unknown) => `${value}`, parse: (text: string) => text };

/**
 * Connects to a PostgreSQL server, 14 or newer.
 *
 * @param deadline how long a statement may take with the wait for a connection, in milliseconds; one that nobody waits for any
 *   more is ended
 * @throws {Error} with one clear line when the server cannot be reached, refuses us or is too old
 */
export async function connectServer(url: string, poolSize: number, deadline: number): Promise<Driver> {
  const statementTimeout = deadline * SERVERS_PART;
  const connection = {
    application_name: 'pet-store',
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    statement_timeout: statementTimeout,
    lock_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
  };
  const options = {
    max: 1,
    connect_timeout: (deadline * CONNECTING_PART) / 1_000,
    // Otherwise it ends a connection in the midst of a transaction.
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    types: { int8: { to: 20, from: [20], ...asText }, timestamptz: { to: 1184, from: [1184], ...asText } },
  };
  let looking = {};
  const pool = createPool(poolSize, {
    open: (onclose) => {
      const own = { connection: { ...connection, ...looking }, socket: connectOnce(), onclose };
      return postgres(url, { ...options, ...own });
    },
    close: (client, seconds) => client.end({ timeout: seconds }),
  });
  const query: Query = (text, parameters) => {
    const until = performance.now() + deadline;
    return pool.use((connection) => run(connection, text, parameters, until), deadline);
  };
  try {
    const [[version] = []] = await query("select current_setting('server_version_num')::int", []);
    if (typeof version !== 'number' || version < OLDEST_SERVER) {
      throw new Error(`it is PostgreSQL ${Math.floor(Number(version) / 10_000)}; 14 or newer is needed`);
    }
    looking = await query(`set client_connection_check_interval = ${LOOKING}`, []).then(
      () => ({ client_connection_check_interval: LOOKING }),
      (error) => {
        // Where its system does not tell it: the statement goes on until its own time is over.
        if (error instanceof DatabaseError) return {};
        throw error;
      },
    );
  } catch (error) {
    await pool.end(0);
    throw new Error(`The database at ${withoutSecrets(url)} cannot be used: ${firstCause(error)}.`);
  }
  return {
    kind: 'server',
    query,
    transaction: (work, until) =>
      pool.use(
        (connection) => transact(connection, work, until),
        until === undefined ? deadline : Math.min(deadline, until - performance.now()),
      ),
    close: () => pool.end(CLOSING),
  };
}

/**
 * One transaction. What the work leaves behind when it ends can do nothing any more.
 *
 * @param until when its statements must have ended; undefined for never, also on the server
 */
async function transact<T>(
  connection: Connection<postgres.Sql>,
  work: (query: Query, begun: Promise<unknown>) => Promise<T>,
  until: number | undefined,
): Promise<T> {
  let isOver = false;
  const query: Query = async (text, parameters) => {
    if (isOver) throw new Error('The transaction has ended.');
    return run(connection, text, parameters, until);
  };
  try {
    const begun = begin();
    const [result] = await Promise.all([work(query, begun), begun]);
    await query('commit', []);
    return result;
  } catch (error) {
    await query('rollback', []).catch(() => {});
    throw error;
  } finally {
    isOver = true;
  }

  async function begin(): Promise<void> {
    await query('begin isolation level read committed', []);
    if (until !== undefined) return;
    for (const limit of LIMITS) await query(`set local ${limit} = 0`, []);
  }
}

/** Runs a statement. When it is too late to wait on, the connection is closed, by which the server ends what it still does. */
function run(
  connection: Connection<postgres.Sql>,
  text: string,
  parameters: readonly Parameter[],
  until: number | undefined,
): Promise<readonly RawRow[]> {
  return new Promise((resolve, reject) => {
    // The client would connect again by itself, and know nothing of a transaction.
    if (connection.isLost) throw away(new Error('The connection is lost.'));
    if (until !== undefined && performance.now() >= until) throw tooSlow();
    const late = () => {
      connection.isLost = true;
      reject(tooSlow(`No answer in time: ${text}`));
    };
    const timer = until === undefined ? undefined : setTimeout(late, until - performance.now());
    connection.client
      .unsafe(text, [...parameters], { prepare: true })
      .values()
      .then(
        (rows) => {
          clearTimeout(timer);
          resolve(rows);
        },
        (error) => {
          clearTimeout(timer);
          const failure = translate(error);
          if (failure instanceof ServiceError && failure.code === 'UNAVAILABLE') connection.isLost = true;
          reject(failure);
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
  if (!isState || /^(08|53|57P|25006|25P03)/.test(code)) return away(error);
  return new DatabaseError(error.message, code, constraint, error);
}

function away(cause: unknown): ServiceError {
  const message = 'The database cannot be reached just now; try again.';
  return new ServiceError('UNAVAILABLE', message, { cause, headers: RETRY_SOON });
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
