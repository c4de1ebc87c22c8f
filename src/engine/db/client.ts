import { setTimeout as sleep } from 'node:timers/promises';
import { Column, is, Param, Placeholder, type SQLWrapper, type Table } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { ServiceError } from '../errors.ts';
import {
  type Driver,
  type Kind,
  type KindQuery,
  type Parameter,
  type Query,
  type RawRow,
  toParameter,
} from './driver.ts';
import { isDeadlock, LockTimeout, tooSlow } from './failures.ts';
import { connectionsOf, USUAL_POOL } from './lanes.ts';
import { type RowOf, rowReader, type Shape } from './row.ts';
import { TransactionQueue } from './transaction-queue.ts';
import { Turns } from './turns.ts';

/** Watches the database at work; called once a statement or batch. */
export interface Probe {
  statement(name: string, seconds: number): void;
  batch(name: string, size: number): void;
  /** Where statements are traced. */
  readonly tracing?: StatementTracing | undefined;
}

/** Traces statements as parts of the requests that wait for them. */
export interface StatementTracing {
  /** Those for which the function that is called now does its work, known until it first awaits; undefined for none. */
  current(): TracedRequests | undefined;
  /** All of these; undefined for none. */
  together(requests: readonly (TracedRequests | undefined)[]): TracedRequests | undefined;
}

/** Traced requests that wait for the same. */
export interface TracedRequests {
  /** Calls the function for them: they are the current ones until it first awaits. */
  call<T>(work: () => T): T;
  /** Runs a statement for them. */
  statement<T>(name: string, sql: string, run: () => Promise<T>): Promise<T>;
}

/** A statement that was compiled once; takes the values of its placeholders by name. */
export type Statement<Row> = (values?: Readonly<Record<string, unknown>>) => Promise<Row[]>;

/** A row that a statement changes: what it is of, and the placeholder that has its id, such as `{ of: 'book', by: 'bookId' }`. */
interface ChangedRow {
  readonly of: string;
  readonly by: string;
}

/** Where the database is: a server's address, or the folder of the embedded one. */
export interface DatabaseLocation {
  readonly url: string | undefined;
  readonly folder: string;
  /** What the server calls the connections of this process. */
  readonly name?: string;
  /** How long a request may take, in milliseconds; no statement of it takes longer on a server. */
  readonly timeout: number;
  /** How many connections this process has to a server, 6 or more; undefined for as many as are usual. */
  readonly pool?: number;
}

/** A database whose statements run in transactions, one transaction at a time. */
export interface Session {
  /** A change that fails here is undone alone, as it would be outside, and the others stand. */
  readonly database: Database;
  /** A change that fails here takes the transaction with it, and is one statement less. */
  readonly strict: Database;
  /** Marks the place to which the next change is undone when it fails: with what is read, it is no wait of its own. */
  savepoint(): Promise<void>;
  /**
   * Runs the work, whose statements are these databases'; rolls back when it rejects. The session must not be used again
   * then: nobody knows what the work still does.
   *
   * @param until when it must be over, as `performance.now` tells the time: nobody waits for it then
   */
  transaction<T>(work: () => Promise<T>, until: number): Promise<T>;
}

const MAX_ATTEMPTS = 5;
/** Before a statement runs again, in milliseconds; each time that much longer. */
const PAUSE = 20;
/** A server that took longer to be found away is not asked again, in milliseconds. */
const PATIENCE = 1_000;
const dialect = new PgDialect();
const unwatched: Probe = { statement: () => {}, batch: () => {} };

/**
 * Opens the server's database where an address is given, otherwise the embedded one in the folder.
 *
 * @throws {Error} with one clear line when it cannot be used
 */
export async function openDatabase(location: DatabaseLocation, probe?: Probe): Promise<Database> {
  return new Database(await openDriver(location), probe);
}

/** Loads the one that is used alone: a start need not wait for the other. */
async function openDriver({ url, folder, name, timeout, pool }: DatabaseLocation): Promise<Driver> {
  if (url !== undefined)
    return (await import('./server.ts')).connectServer(url, timeout, connectionsOf(pool ?? USUAL_POOL), name);
  return (await import('./embedded.ts')).openEmbedded(folder);
}

/** The database as stores see it, the same for both kinds. */
export class Database {
  readonly kind: Driver['kind'];
  readonly probe: Probe;
  /** The tables whose columns its statements answer with. */
  readonly tables = new Set<Table>();
  readonly #driver: Driver;
  /** Undefined in a transaction: what holds a row must not wait for those that wait for it. */
  readonly #turns: Turns | undefined;

  /** @param isSession whether its statements run in a transaction, where none may run again: it would wait for the same locks */
  constructor(driver: Driver, probe: Probe = unwatched, isSession = false) {
    this.kind = driver.kind;
    this.probe = probe;
    this.#driver = driver;
    this.#turns = isSession ? undefined : new Turns();
  }

  /**
   * Compiles a statement: its SQL is built here, once, and the server prepares it on its first run.
   *
   * @param name what metrics, tests and logs call it, such as `books.byKeys`
   * @param kind what it does
   * @param query the statement, with `sql.placeholder` for each value
   * @param shape the columns it answers with
   * @param row the row that it changes, where there is one: those that change it run one after another, so that they hold
   *   one connection while others have locked it
   */
  statement<S extends Shape>(
    name: string,
    kind: Kind,
    query: SQLWrapper,
    shape: S,
    row?: ChangedRow,
  ): Statement<RowOf<S>> {
    const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
    const readers = params.map(parameterReader);
    const toRow = rowReader(shape);
    for (const column of Object.values(shape)) if (is(column, Column)) this.tables.add(column.table);
    return async (values = {}) => {
      const parameters = readers.map((read) => read(values));
      const runAlone = () => this.#run(name, kind, text, parameters);
      const requests = this.probe.tracing?.current();
      const run = requests === undefined ? runAlone : () => requests.statement(name, text, runAlone);
      const turns = row && this.#turns;
      const rows = await (turns === undefined ? run() : turns.take(`${row?.of} ${values[row?.by ?? '']}`, run));
      return rows.map(toRow);
    };
  }

  /**
   * The same function for the traced requests of now, whenever it is called: what runs statements after an `await` needs it,
   * and a function that somebody else calls.
   */
  bind<Args extends unknown[], T>(work: (...args: Args) => T): (...args: Args) => T {
    const requests = this.probe.tracing?.current();
    return requests === undefined ? work : (...args) => requests.call(() => work(...args));
  }

  /** Runs the work in one transaction on one connection, however long it takes; rolls back when it rejects. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const begunWork = async (query: Query, begun: Promise<unknown>) => {
      await begun;
      return work(query);
    };
    return this.#driver.transaction(begunWork, undefined);
  }

  /** Databases like this one, whose statements run in the transaction of the moment. None is tried again: it would wait for the same locks. */
  session(): Session {
    let current: TransactionQueue | undefined;
    const now = () => {
      if (current === undefined) throw new Error('The transaction has ended.');
      return current;
    };
    const asking = (query: KindQuery) => new Database({ ...this.#driver, query }, this.probe, true);
    return {
      database: asking(async (...asked) => now().undoneAlone(...asked)),
      strict: asking(async (...asked) => now().query(...asked)),
      savepoint: async () => now().savepoint(),
      transaction: (work, until) => {
        const assertInTime = () => {
          if (performance.now() > until) throw tooSlow();
        };
        return this.#driver.transaction(async (own, begun) => {
          current = new TransactionQueue(own, begun, assertInTime);
          try {
            const result = await work();
            assertInTime();
            return result;
          } finally {
            current = undefined;
          }
        }, until);
      },
    };
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  async #run(name: string, kind: Kind, sql: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    const attempts = this.#turns === undefined ? 1 : MAX_ATTEMPTS;
    const started = performance.now();
    try {
      for (let attempt = 1; ; attempt++) {
        const tried = performance.now();
        try {
          return await this.#driver.query(sql, parameters, kind);
        } catch (error) {
          if (!mayRunAgain(kind, error, performance.now() - tried)) throw error;
          if (attempt === attempts) throw isDeadlock(error) ? new LockTimeout(error) : error;
          await sleep(attempt * PAUSE);
        }
      }
    } finally {
      this.probe.statement(name, (performance.now() - started) / 1000);
    }
  }
}

/**
 * A deadlock's victim was rolled back whole, and each statement is a transaction of its own: running it again is safe.
 * When a connection is lost nobody knows whether a write was done; a read is simply run once more, after a moment in
 * which the pool notices which of its idle connections the other end has closed.
 */
function mayRunAgain(kind: Kind, error: unknown, milliseconds: number): boolean {
  if (isDeadlock(error)) return true;
  const isAway = error instanceof ServiceError && error.code === 'UNAVAILABLE' && milliseconds < PATIENCE;
  return isAway && kind !== 'write';
}

/** Reads one parameter from the values of the placeholders. */
function parameterReader(param: unknown): (values: Readonly<Record<string, unknown>>) => Parameter {
  if (is(param, Placeholder)) return (values) => toParameter(values[param.name]);
  if (is(param, Param)) throw new TypeError('A statement takes values by sql.placeholder alone.');
  const constant = toParameter(param);
  return () => constant;
}
