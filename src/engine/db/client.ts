import { setTimeout as sleep } from 'node:timers/promises';
import { Column, is, Placeholder, type SQLWrapper, sql, type Table } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { ServiceError } from '../errors.ts';
import { KeyedQueue } from '../queue.ts';
import { type Driver, type DriverQuery, type Query, type RawRow, type StatementKind, toParameter } from './driver.ts';
import { connectionsOf, DEFAULT_POOL, MAX_LOCK_WAIT } from './pool-kinds.ts';
import { type RowOf, rowReader, type Shape } from './row.ts';
import { isDeadlock, LockTimeout, tableLocked } from './violations.ts';

/** Observes the database; called once per statement or batch. */
export interface Probe {
  statement(name: string, seconds: number): void;
  batch(name: string, size: number): void;
  /** Undefined when statements are not traced. */
  readonly tracing?: StatementTracing | undefined;
}

export interface StatementTracing {
  /** The requests that the running function works for, known until its first `await`; undefined for none. */
  current(): TracedRequests | undefined;
  /** The union of the requests of these calls; undefined for none. */
  together(calls: readonly { readonly requests: TracedRequests | undefined }[]): TracedRequests | undefined;
}

export interface TracedRequests {
  /** Calls the function on their behalf: they are the current requests until its first `await`. */
  call<T>(work: () => T): T;
  statement<T>(name: string, sql: string, run: () => Promise<T>): Promise<T>;
}

/** A compiled statement; takes the values of its placeholders by name. */
export type Statement<Row> = (values?: Readonly<Record<string, unknown>>) => Promise<Row[]>;

/** The kind of the row, and the placeholder of its id: `{ of: 'book', by: 'bookId' }`. */
interface ChangedRow {
  readonly of: string;
  readonly by: string;
}

interface DatabaseOptions {
  /** How long a request may take, in milliseconds; 10 seconds by default. */
  readonly timeout?: number;
  readonly isInTransaction?: boolean;
}

/** Where the database is: a server's URL, or the folder of the embedded database. */
export interface DatabaseLocation {
  readonly url: string | undefined;
  readonly folder: string;
  /** The name of this process's connections on the server. */
  readonly name?: string;
  /** How long a request may take, in milliseconds; on a server, no statement takes longer. */
  readonly timeout: number;
  /** How many connections this process has to a server: at least 6, 18 by default. */
  readonly pool?: number;
}

const MAX_ATTEMPTS = 5;
/** The pause before the first retry of a statement, in milliseconds; each further one is that much longer. */
const PAUSE = 20;
/** A statement is not retried when the server took longer than this, in milliseconds, to turn out unavailable. */
const RETRY_WITHIN = 1_000;
/** In which part of a request's time attempts begin: a later one could go on when its request has ended. */
const ATTEMPTS_PART = 0.35;
const dialect = new PgDialect();
const noProbe: Probe = { statement: () => {}, batch: () => {} };

/** @throws {Error} with a message of one line when the database can't be used */
export async function openDatabase(
  { url, folder, name, timeout, pool = DEFAULT_POOL }: DatabaseLocation,
  probe?: Probe,
): Promise<Database> {
  // Only the driver in use is imported, for a faster start.
  const driver =
    url === undefined
      ? await (await import('./embedded.ts')).openEmbedded(folder)
      : await (await import('./server.ts')).connectServer(url, timeout, connectionsOf(pool), name);
  return new Database(driver, probe, { timeout });
}

/** The database as stores use it; both kinds behave the same. */
export class Database {
  readonly kind: Driver['kind'];
  readonly probe: Probe;
  /** The tables whose columns its statements return. */
  readonly tables = new Set<Table>();
  readonly driver: Driver;
  readonly #timeout: number;
  readonly #isInTransaction: boolean;
  readonly #rowQueue = new KeyedQueue({ milliseconds: MAX_LOCK_WAIT, error: () => new LockTimeout() });

  constructor(
    driver: Driver,
    probe: Probe = noProbe,
    { timeout = 10_000, isInTransaction = false }: DatabaseOptions = {},
  ) {
    this.kind = driver.kind;
    this.probe = probe;
    this.driver = driver;
    this.#timeout = timeout;
    this.#isInTransaction = isInTransaction;
  }

  /**
   * Makes a statement, which the server prepares.
   *
   * @param name its group and what it does, such as `books.insert`
   * @param query has `sql.placeholder` for each value of a call; others become part of its text
   * @param row the row that it changes, if it changes a single one: statements that change the same row run one after
   *   another, so that they use only one connection while another transaction has locked the row
   */
  statement<S extends Shape>(
    name: string,
    kind: StatementKind,
    query: SQLWrapper,
    shape: S,
    row?: ChangedRow,
  ): Statement<RowOf<S>> {
    const [group] = name.split('.', 1);
    const compile = () => {
      const { sql: text, params } = dialect.sqlToQuery(sql`${query}`.inlineParams());
      return { text, placeholders: params.map(placeholderOf), toRow: rowReader(shape) };
    };
    // Each session of transactions has all statements, and runs few of them.
    let compiled = this.#isInTransaction ? undefined : compile();
    for (const column of Object.values(shape)) if (is(column, Column)) this.tables.add(column.table);
    return async (values = {}) => {
      compiled ??= compile();
      const { text, placeholders, toRow } = compiled;
      const parameters = placeholders.map((placeholder) => toParameter(values[placeholder]));
      const runAlone = () => this.#run(name, kind, () => this.driver.query(text, parameters, kind, group));
      const requests = this.probe.tracing?.current();
      const run = requests === undefined ? runAlone : () => requests.statement(name, text, runAlone);
      // A transaction that has locked a row must not queue behind statements that wait for that lock.
      const isAlone = row === undefined || this.#isInTransaction;
      const rows = await (isAlone ? run() : this.#rowQueue.run(`${row.of} ${values[row.by]}`, run));
      return rows.map(toRow);
    };
  }

  /** Binds a function that runs statements after an `await`, or is called elsewhere, to the requests traced now. */
  bind<Args extends unknown[], T>(work: (...args: Args) => T): (...args: Args) => T {
    const requests = this.probe.tracing?.current();
    return requests === undefined ? work : (...args) => requests.call(() => work(...args));
  }

  /** Runs the work in one transaction on one connection, without a time limit; rolls back when it rejects. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.driver.transaction((query, begun) => begun.then(() => work(query)), undefined);
  }

  /** Makes a database like this one, whose statements are sent in a transaction. */
  inTransaction(query: DriverQuery): Database {
    return new Database({ ...this.driver, query }, this.probe, { isInTransaction: true });
  }

  close(): Promise<void> {
    return this.driver.close();
  }

  /** Sends a statement, again while that is safe and may help. */
  async #run(name: string, kind: StatementKind, send: () => Promise<readonly RawRow[]>): Promise<readonly RawRow[]> {
    // In a transaction, a retry would wait for the same locks.
    const attempts = this.#isInTransaction ? 1 : MAX_ATTEMPTS;
    const started = performance.now();
    try {
      for (let attempt = 1; ; attempt++) {
        const tried = performance.now();
        try {
          return await send();
        } catch (error) {
          if (!mayRunAgain(kind, error, performance.now() - tried)) throw error;
          const isLate = performance.now() - started > this.#timeout * ATTEMPTS_PART;
          if (attempt === attempts || isLate) throw finalError(error);
          await sleep(attempt * PAUSE);
        }
      }
    } finally {
      this.probe.statement(name, (performance.now() - started) / 1000);
    }
  }
}

/**
 * A deadlock's victim is rolled back completely, and each statement is its own transaction: running it again is safe.
 * After a lost connection it is unknown whether a write was committed, so only reads run again. The pause before that
 * gives the pool time to notice which idle connections the other end has closed.
 */
function mayRunAgain(kind: StatementKind, error: unknown, milliseconds: number): boolean {
  if (isDeadlock(error)) return true;
  if (kind === 'write') return false;
  if (error instanceof LockTimeout) return true;
  return error instanceof ServiceError && error.code === 'UNAVAILABLE' && milliseconds < RETRY_WITHIN;
}

/** The error after the last attempt. */
function finalError(error: unknown): unknown {
  if (isDeadlock(error)) return new LockTimeout(error);
  // Only reads are tried again for it.
  return error instanceof LockTimeout ? tableLocked(error) : error;
}

function placeholderOf(param: unknown): string {
  if (is(param, Placeholder)) return param.name;
  throw new TypeError('A statement takes values by sql.placeholder alone.');
}
