import type { Database } from '../db/client.ts';
import { createTransactions, type SessionDatabases, type Settled } from '../db/transactions.ts';
import { RETRY_SOON, ServiceError } from '../errors.ts';
import type { HttpReply } from '../http/reply.ts';
import type { Context } from '../schema/context.ts';
import { type KeyedRequest, readersFingerprint } from './key.ts';
import { type KeyStore, keyStore, type StoredReply } from './store.ts';

/** A reply, and the error that it reports, if any. */
export interface Outcome {
  readonly reply: HttpReply;
  readonly error: ServiceError | undefined;
}

/** Answers requests with an idempotency key. */
export interface Idempotency {
  /**
   * Does the work, and stores its reply in the same transaction; or returns the stored reply, byte for byte.
   *
   * @param work makes its changes with the stores of the context only; if it rejects, they are undone, and the client
   *   may retry with the same key
   * @param changes whether it makes one change, or several in an order that the client chooses
   * @throws {ServiceError} IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_CONFLICT while a request with the key is in progress,
   *   UNAUTHENTICATED or FORBIDDEN when the stored reply needs `read`, or as transactions do; nothing was changed then
   */
  answer(
    request: KeyedRequest,
    work: (context: Context) => Promise<Outcome>,
    changes: 'one' | 'several',
  ): Promise<Outcome>;
  /** Deletes replies older than a day, now and every hour. */
  begin(onFailure: (error: unknown) => void): void;
  /** Stops deleting; resolves when no deletion is in progress. */
  end(): Promise<void>;
}

/** How many requests with one change are in progress at once; one caller may have one fewer. */
const MAX_IN_PROGRESS = 3;
/**
 * The same for requests with several changes. They lock rows while they wait for others, so two of them may deadlock:
 * both then get an error as soon as their lock timeout ends.
 */
const MAX_OF_SEVERAL = 2;
/** The maximum length of a stored reply, in characters. */
const MAX_BODY_LENGTH = 1_048_576;
const AN_HOUR = 3_600_000;
const REPLAYED = ['idempotent-replayed', 'true'];

/**
 * Answers requests with an idempotency key, one at a time for each key.
 *
 * @param deadline how long a request may take, in milliseconds
 * @param makeContext makes the resolvers' context for a database
 */
export function createIdempotency(
  database: Database,
  deadline: number,
  makeContext: (database: Database) => Context,
): Idempotency {
  const keys = keyStore(database);
  let timer: NodeJS.Timeout | undefined;
  let deleting = Promise.resolve();
  /** The keys in progress in this process; keys of other processes are locked in the database. */
  const running = new Set<string>();
  const transactionsOf = (max: number) =>
    createTransactions(database, max, deadline, ({ database: own, strict, savepoint }) => ({
      own: keyStore(strict),
      context: makeContext(own),
      savepoint,
    }));
  const transactions = { one: transactionsOf(MAX_IN_PROGRESS), several: transactionsOf(MAX_OF_SEVERAL) };

  return {
    async answer(request, work, changes) {
      const id = JSON.stringify([request.caller, request.key]);
      if (running.has(id)) throw conflict();
      running.add(id);
      try {
        const once = database.bind((transaction: InTransaction) => answerOnce(database, request, work, transaction));
        const outcome = await transactions[changes].run(request.account, once);
        if (outcome === undefined) throw conflict();
        return 'fingerprint' in outcome ? { reply: replay(request, outcome), error: undefined } : outcome;
      } finally {
        running.delete(id);
      }
    },

    begin(onFailure) {
      const deleteOld = () => {
        deleting = deleting.then(keys.forget).catch(onFailure);
      };
      timer = setInterval(deleteOld, AN_HOUR).unref();
      deleteOld();
    },

    async end() {
      clearInterval(timer);
      await deleting;
    },
  };
}

/** What a request uses in its transaction. */
interface InTransaction {
  readonly own: KeyStore;
  readonly context: Context;
  readonly savepoint: SessionDatabases['savepoint'];
}

/** The stored reply, or the outcome of the work; undefined when another process has the key in progress. */
async function answerOnce(
  database: Database,
  request: KeyedRequest,
  work: (context: Context) => Promise<Outcome>,
  { own, context, savepoint }: InTransaction,
): Promise<Settled<StoredReply | Outcome | undefined>> {
  const keep = database.bind(own.keep);
  // Sent together, and run in order: the reply is looked up after the key is locked.
  const [isHeld, stored] = await Promise.all([own.hold(request), own.find(request), savepoint()]);
  if (!isHeld) return { value: undefined, commit: false };
  if (stored !== undefined) return { value: stored, commit: true };
  const outcome = await work(context);
  const needsRead = outcome.error?.namesStored ?? false;
  const fingerprint = needsRead ? readersFingerprint(request.fingerprint) : request.fingerprint;
  await keep({ ...request, fingerprint }, assertShort(outcome.reply));
  return { value: outcome, commit: true };
}

function assertShort(reply: HttpReply): HttpReply {
  if ((reply.body?.length ?? 0) <= MAX_BODY_LENGTH) return reply;
  throw new ServiceError(
    'INVALID_ARGUMENT',
    `The answer to a request with an Idempotency-Key may have at most ${MAX_BODY_LENGTH} characters; request less.`,
  );
}

function replay(request: KeyedRequest, { fingerprint, reply }: StoredReply): HttpReply {
  const needsRead = fingerprint === readersFingerprint(request.fingerprint);
  if (needsRead) request.authorizeRead();
  if (needsRead || fingerprint === request.fingerprint) {
    return { ...reply, headers: [...reply.headers, ...REPLAYED] };
  }
  throw new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for another request within the last 24 hours. Use a new key for a new request.',
  );
}

function conflict(): ServiceError {
  const message = 'A request with this Idempotency-Key is in progress; try again to get its answer.';
  return new ServiceError('IDEMPOTENCY_CONFLICT', message, { headers: RETRY_SOON });
}
