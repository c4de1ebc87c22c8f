import postgres from 'postgres';
import { ServiceError } from '../errors.ts';
import { connectOnce } from './connect-once.ts';
import type { Driver, KindQuery, Parameter, Query, RawRow } from './driver.ts';
import {
  DatabaseError,
  failureOf,
  failureOfConnection,
  LockTimeout,
  type ReportedError,
  tooSlow,
  unavailable,
} from './failures.ts';
import { CONNECTIONS, type Lane, LOCK_TIMEOUTS, MAX_LOCK_WAIT } from './lanes.ts';
import { type Connection, createPool, type Pool } from './pool.ts';

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
/** How many statements a connection may have prepared: the server keeps some 70 KB for each until it is closed. */
const MAX_PREPARED = 100;

/** A client of postgres.js with one connection, and the statements that it has prepared there. */
interface Client {
  readonly sql: postgres.Sql;
  readonly prepared: Set<string>;
}

const asText = { serialize: (value: unknown) => `${value}`, parse: (text: string) => text };

/**
 * Connects to a PostgreSQL server, 14 or newer.
 *
 * @param deadline how long a statement may take with the wait for a connection, in milliseconds; one that nobody waits for any
 *   more is ended
 * @param name what the server calls the connections
 * @throws {Error} with one clear line when the server cannot be reached, rejects us or is too old
 */
export async function connectServer(
  url: string,
  deadline: number,
  connections: Readonly<Record<Lane, number>> = CONNECTIONS,
  name?: string,
): Promise<Driver> {
  const statementTimeout = deadline * SERVERS_PART;
  const connection = {
    ...(name !== undefined && { application_name: name }),
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
    // Otherwise a count would take all processors, and have everyone else wait.
    max_parallel_workers_per_gather: 0,
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
  const laneOf = (lane: Lane): Pool<Client> => {
    const ofLane = {
      lock_timeout: Math.min(LOCK_TIMEOUTS[lane] ?? statementTimeout, statementTimeout),
      // Each list has its indexes: a plan that reads a table from end to end is only ever made for values that it is bad for.
      ...(lane === 'list' && { enable_seqscan: 'off' }),
    };
    return createPool(connections[lane], {
      open: (onclose) => {
        const own = { connection: { ...connection, ...ofLane, ...looking }, socket: connectOnce(), onclose };
        return { sql: postgres(url, { ...options, ...own }), prepared: new Set() };
      },
      close: ({ sql }, seconds) => sql.end({ timeout: seconds }),
    });
  };
  const lanes: Readonly<Record<Lane, Pool<Client>>> = {
    lookup: laneOf('lookup'),
    list: laneOf('list'),
    count: laneOf('count'),
    write: laneOf('write'),
    waitingWrite: laneOf('waitingWrite'),
    transaction: laneOf('transaction'),
  };
  const end = async (seconds: number) => {
    await Promise.all(Object.values(lanes).map((lane) => lane.end(seconds)));
  };
  const query: KindQuery = async (text, parameters, kind) => {
    const until = performance.now() + deadline;
    const runOn = (lane: Lane, patience: number) =>
      useOf(lanes[lane], (client) => run(client, text, parameters, until), patience);
    try {
      return await runOn(kind, deadline);
    } catch (error) {
      if (!(error instanceof LockTimeout) || kind !== 'write') throw error;
      return runOn('waitingWrite', MAX_LOCK_WAIT);
    }
  };
  try {
    const [[version] = []] = await query("select current_setting('server_version_num')::int", [], 'lookup');
    if (typeof version !== 'number' || version < OLDEST_SERVER) {
      throw new Error(`it is PostgreSQL ${Math.floor(Number(version) / 10_000)}; 14 or newer is needed`);
    }
    looking = await query(`set client_connection_check_interval = ${LOOKING}`, [], 'lookup').then(
      () => ({ client_connection_check_interval: LOOKING }),
      (error) => {
        // Where its system does not tell it: the statement goes on until its own time is over.
        if (error instanceof DatabaseError) return {};
        throw error;
      },
    );
  } catch (error) {
    await end(0);
    throw new Error(`The database at ${withoutSecrets(url)} cannot be used: ${firstCause(error).replace(/\.$/, '')}.`);
  }
  return {
    kind: 'server',
    query,
    transaction: (work, until) =>
      useOf(
        lanes.transaction,
        (connection) => transact(connection, work, until),
        until === undefined ? deadline : Math.min(deadline, until - performance.now()),
      ),
    close: () => end(CLOSING),
  };
}

/** Uses a connection of the pool; one that has prepared many statements is closed afterwards, and with it they are gone. */
function useOf<T>(
  pool: Pool<Client>,
  work: (connection: Connection<Client>) => Promise<T>,
  patience: number,
): Promise<T> {
  return pool.use(async (connection) => {
    try {
      return await work(connection);
    } finally {
      if (connection.client.prepared.size >= MAX_PREPARED) connection.isLost = true;
    }
  }, patience);
}

/**
 * One transaction. What the work leaves behind when it ends can do nothing any more.
 *
 * @param until when its statements must have ended; undefined for never, also on the server
 */
async function transact<T>(
  connection: Connection<Client>,
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
  connection: Connection<Client>,
  text: string,
  parameters: readonly Parameter[],
  until: number | undefined,
): Promise<readonly RawRow[]> {
  return new Promise((resolve, reject) => {
    // The client would connect again by itself, and know nothing of a transaction.
    if (connection.isLost) throw unavailable(new Error('The connection is lost.'));
    if (until !== undefined && performance.now() >= until) throw tooSlow();
    const late = () => {
      connection.isLost = true;
      reject(tooSlow(`No answer in time: ${text}`));
    };
    const timer = until === undefined ? undefined : setTimeout(late, until - performance.now());
    connection.client.prepared.add(text);
    connection.client.sql
      .unsafe(text, [...parameters], { prepare: true })
      .values()
      .then(
        (rows) => {
          clearTimeout(timer);
          resolve(rows);
        },
        (error) => {
          clearTimeout(timer);
          const failure = failureFrom(error);
          if (isOfConnection(failure)) connection.isLost = true;
          reject(failure);
        },
      );
  });
}

/** Whether a failure leaves the connection of no use: a wait for a row that was too long does not. */
function isOfConnection(failure: unknown): boolean {
  return failure instanceof ServiceError && failure.code === 'UNAVAILABLE' && !(failure instanceof LockTimeout);
}

/** The failure that anything which the driver has thrown stands for. The driver's own class alone tells what a server has reported. */
export function failureFrom(error: unknown): unknown {
  return error instanceof postgres.PostgresError ? failureOf(reported(error)) : failureOfConnection(error);
}

function reported(error: postgres.PostgresError): ReportedError {
  return Object.assign(error, { constraint: error.constraint_name });
}

function firstCause(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  if (innermost instanceof AggregateError) innermost = innermost.errors[0];
  // Its own message has `undefined` for the port.
  if ((innermost as NodeJS.ErrnoException)?.code === 'CONNECT_TIMEOUT') return 'it does not answer';
  return innermost instanceof Error ? innermost.message : String(innermost);
}

function withoutSecrets(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}
