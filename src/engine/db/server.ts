import postgres from 'postgres';
import { ServiceError } from '../errors.ts';
import { withoutSecrets } from '../text.ts';
import { connectOnce } from './connect-once.ts';
import type { Driver, DriverQuery, Parameter, RawRow, TransactionLimits, TransactionWork } from './driver.ts';
import { createPool, type Opener, type Pool, type Pooled } from './pool.ts';
import { LOCK_TIMEOUTS, MAX_LOCK_WAIT, type PoolKind, WAIT_PART } from './pool-kinds.ts';
import { COMMIT, type Send, transact } from './transact.ts';
import { DatabaseError, failureOf, LockTimeout, tooSlow, unavailable } from './violations.ts';

/** The part of the deadline after which the server ends a statement. Our own deadline is for late statements and frozen servers. */
const STATEMENT_PART = 0.9;
/** The part of the deadline that connecting may take. */
const CONNECT_PART = 0.5;
/** How often the server checks during a statement whether we are still connected, in milliseconds. */
const CHECK_INTERVAL = 200;
/** The kinds whose connections the groups take in turns: the table of one may be locked, or its statements slow. */
const SHARED: readonly PoolKind[] = ['lookup', 'list', 'count'];
const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
/** How long statements in progress may take when the driver is closed, in seconds. */
const CLOSE_TIMEOUT = 0.5;
const MIN_VERSION = 140_000;
/** Statements on one connection: the server keeps some 70 KB for each until it is closed. */
const MAX_PREPARED = 100;

const SETTINGS_DROPPED =
  'a pooler in between drops the settings of sessions, such as statement_timeout; connect to the server itself';

interface Client extends Pooled {
  /** With one connection. */
  readonly sql: postgres.Sql;
  /** The texts of its statements. */
  readonly prepared: Set<string>;
  /** Whether the server could not do its work, such as on a full disk: it is closed after its use. */
  hasFailed: boolean;
}

const asText = { serialize: (value: unknown) => `${value}`, parse: (text: string) => text };

/**
 * Connects to a PostgreSQL server, 14 or newer.
 *
 * @param deadline how long a statement may take, including the wait for a connection, in milliseconds; the server ends
 *   a statement that has been given up
 * @param name the name of the connections on the server
 * @throws {Error} with a message of one line when the server can't be reached, rejects us, is too old or unfit
 */
export async function connectServer(
  url: string,
  deadline: number,
  connections: Readonly<Record<PoolKind, number>>,
  name?: string,
): Promise<Driver> {
  const statementTimeout = deadline * STATEMENT_PART;
  const connection = {
    ...(name !== undefined && { application_name: name }),
    // Where the migrations create the types and the tables, whatever the role or the database has.
    search_path: 'public',
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    // Otherwise a role or a database can have doubles lose digits, and a null in a list become a text.
    extra_float_digits: '1',
    array_nulls: 'on',
    default_transaction_isolation: 'read committed' as const,
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
    // Otherwise the server may close a connection while a change is on its way to it. As text: postgres.js ignores the
    // number 0. In capitals, which PostgreSQL takes too: in small letters, its type wants a number.
    IDLE_SESSION_TIMEOUT: '0',
    // Otherwise a count would take all processors, and all others would wait.
    max_parallel_workers_per_gather: '0',
    // PostgreSQL compiles a plan that seems expensive each time it runs, and a disabled sequential scan makes it seem
    // so: that would take 50 ms for a statement of 1 ms.
    jit: 'off',
  };
  const options = {
    max: 1,
    connect_timeout: (deadline * CONNECT_PART) / 1_000,
    // Otherwise it closes a connection in the middle of a transaction.
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    types: { int8: { to: 20, from: [20], ...asText }, timestamptz: { to: 1184, from: [1184], ...asText } },
  };
  let connectionCheck = {};
  const poolOf = (kind: PoolKind): Pool<Client> => {
    const ofKind = {
      lock_timeout: LOCK_TIMEOUTS[kind],
      // All but counts have their indexes. PostgreSQL would choose a sequential scan for values for which that is slow, or
      // while a table is small, and would keep to it until the table is analyzed, however much it grows.
      ...(kind !== 'count' && { enable_seqscan: 'off' }),
    };
    const size = connections[kind];
    const opener: Opener<Client> = {
      open: () => {
        const onclose = () => {
          client.isLost = true;
        };
        const own = { connection: { ...connection, ...ofKind, ...connectionCheck }, socket: connectOnce(url), onclose };
        const sql = postgres(url, { ...options, ...own });
        const client: Client = { sql, prepared: new Set(), hasFailed: false, isLost: false };
        return client;
      },
      close: ({ sql }, seconds) => sql.end({ timeout: seconds }),
      isSpent: ({ prepared, hasFailed }) => hasFailed || prepared.size >= MAX_PREPARED,
    };
    // Of two connections for counts, one group may use both: to keep one for others would halve its counts.
    return createPool(size, opener, kind === 'count' ? size : undefined);
  };
  const entries = (Object.keys(connections) as PoolKind[]).map((kind) => [kind, poolOf(kind)]);
  const pools: Readonly<Record<PoolKind, Pool<Client>>> = Object.fromEntries(entries);
  const end = async (seconds: number) => {
    await Promise.all(Object.values(pools).map((pool) => pool.end(seconds)));
  };
  const query: DriverQuery = async (text, parameters, kind, group) => {
    const until = performance.now() + deadline;
    const user = SHARED.includes(kind) ? group : undefined;
    const runOn = (pool: PoolKind, timeout: number) =>
      pools[pool].use((client) => run(client, text, parameters, until), timeout, user);
    try {
      return (await runOn(kind, deadline * WAIT_PART)).rows;
    } catch (error) {
      if (!(error instanceof LockTimeout) || kind !== 'write') throw error;
      return (await runOn('waitingWrite', MAX_LOCK_WAIT)).rows;
    }
  };
  try {
    const [[version, encoding, source] = []] = await query(
      `select current_setting('server_version_num')::int, current_setting('server_encoding'),
        (select source from pg_settings where name = 'statement_timeout')`,
      [],
      'lookup',
    );
    if (typeof version !== 'number' || version < MIN_VERSION) {
      throw new Error(`it is PostgreSQL ${Math.floor(Number(version) / 10_000)}; 14 or newer is needed`);
    }
    if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}; UTF8 is needed`);
    if (source !== 'client') throw new Error(SETTINGS_DROPPED);
    connectionCheck = await query(`set client_connection_check_interval = ${CHECK_INTERVAL}`, [], 'lookup').then(
      () => ({ client_connection_check_interval: CHECK_INTERVAL }),
      (error) => {
        // Not every system supports it. There, a statement goes on until its own timeout.
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
    transaction: (work, limits) =>
      pools.transaction.use(
        (client) => transactOn(client, work, limits),
        limits === undefined ? deadline : limits.until - performance.now(),
      ),
    close: () => end(CLOSE_TIMEOUT),
  };
}

/** Without limits there is none on the server either. */
function transactOn<T>(client: Client, work: TransactionWork<T>, limits: TransactionLimits | undefined): Promise<T> {
  const send: Send = (text, parameters) =>
    run(client, text, parameters, text === COMMIT ? limits?.latest : limits?.until);
  const unlimited: TransactionWork<T> = async (query, begun) => {
    await begun;
    for (const timeout of TIMEOUTS) await query(`set local ${timeout} = 0`, []);
    return work(query, begun);
  };
  return transact(send, limits === undefined ? unlimited : work, () => {
    client.isLost = true;
  });
}

/**
 * Empties the result: V8 allocates two functions of each query of postgres.js in the old generation, where they keep the
 * query and its result in memory until the next major garbage collection.
 */
function takeRows(result: RawRow[]): readonly RawRow[] {
  const rows: RawRow[] = [];
  // `splice` takes ten times as long, because a result is a subclass of Array.
  for (let n = 0; n < result.length; n++) rows.push(result[n] as RawRow);
  result.length = 0;
  return rows;
}

/** After the deadline the connection is closed, which makes the server end the statement. */
function run(
  client: Client,
  text: string,
  parameters: readonly Parameter[],
  until: number | undefined,
): ReturnType<Send> {
  return new Promise((resolve, reject) => {
    // postgres.js would reconnect, and send the rest of a transaction outside it.
    if (client.isLost) throw unavailable(new Error('The connection is lost.'));
    if (until !== undefined && performance.now() >= until) throw tooSlow();
    const onTimeout = () => {
      client.isLost = true;
      reject(tooSlow(`No answer in time: ${text}`));
    };
    const timer = until === undefined ? undefined : setTimeout(onTimeout, until - performance.now());
    client.prepared.add(text);
    client.sql
      .unsafe(text, [...parameters], { prepare: true })
      .values()
      .then(
        (result) => {
          clearTimeout(timer);
          resolve({ rows: takeRows(result), command: result.command });
        },
        (error) => {
          clearTimeout(timer);
          const failure = failureFrom(error);
          const isUnavailable = failure instanceof ServiceError && failure.code === 'UNAVAILABLE';
          if (isUnavailable && !(failure instanceof LockTimeout)) {
            // After an error that ends only its statement, the connection is open: without a rollback, the server would
            // hold the locks of a transaction for a moment longer.
            if (error.severity === 'ERROR') client.hasFailed = true;
            else client.isLost = true;
          }
          reject(failure);
        },
      );
  });
}

/** Returns an error of our own code unchanged: it has no code, or is of a class that Node has for wrong arguments. */
export function failureFrom(error: unknown): unknown {
  if (error instanceof postgres.PostgresError)
    return failureOf(Object.assign(error, { constraint: error.constraint_name }));
  const isOwnError = error instanceof TypeError || error instanceof RangeError;
  return error instanceof Error && 'code' in error && !isOwnError ? unavailable(error) : error;
}

function firstCause(error: unknown): string {
  let innermost = error as NodeJS.ErrnoException;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  if (innermost instanceof AggregateError) innermost = innermost.errors[0];
  // Its own message says `undefined` for the port.
  if (innermost.code === 'CONNECT_TIMEOUT') return 'it does not answer';
  const { message } = innermost;
  if (message.includes('before secure TLS')) return 'it does not offer TLS, or closed the connection';
  // PgBouncer can be told to ignore them, and would then drop them.
  if (message.includes('unsupported startup parameter')) return SETTINGS_DROPPED;
  const isUntrusted = /self-signed certificate|unable to .* certificate/.test(message);
  return isUntrusted ? `${message}; NODE_EXTRA_CA_CERTS can name the file of its authority` : message;
}
