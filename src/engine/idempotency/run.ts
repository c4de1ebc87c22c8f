import type { Database } from '../db/client.ts';
import { createTransactions, type SessionDatabases, type Settled } from '../db/transactions.ts';
import { RETRY_SOON, ServiceError } from '../errors.ts';
import type { HttpReply } from '../http/reply.ts';
import type { Context } from '../schema/context.ts';
import { type KeyedRequest, readersFingerprint } from './key.ts';
import { type KeyStore, keyStore, type StoredReply } from './store.ts';

/** A reply, and the failure that it tells of. */
export interface Outcome {
  readonly reply: HttpReply;
  readonly error: ServiceError | undefined;
}

/** Answers requests that must not be done twice. */
export interface Idempotency {
  /**
   * Does what is asked, and stores the answer in the same transaction; or answers with what was stored, byte for byte.
   *
   * @param work does it, with the stores of the context alone; what rejects is undone, and may be tried again under its key
   * @param changes whether it changes one thing, or several in an order of the client's own
   * @throws {ServiceError} IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_CONFLICT while the same is being done, FORBIDDEN when the
   *   stored answer is only for a caller that may read, or as transactions do: then nothing was done
   */
  answer(
    request: KeyedRequest,
    work: (context: Context) => Promise<Outcome>,
    changes: 'one' | 'several',
  ): Promise<Outcome>;
  /** Forgets the answers of over a day ago, now and each hour. */
  begin(onFailure: (error: unknown) => void): void;
  /** Forgets no more; answers when nothing is being forgotten. */
  end(): Promise<void>;
}

/**
 * How many requests are under way at once that change one thing, and how many that change several: one caller has one fewer.
 * Those that change several hold rows while they wait for others, so two of them may wait for each other: then both are told
 * to try again as soon as their wait for a row is over.
 */
const MAX_IN_PROGRESS = 3;
const MAX_OF_SEVERAL = 2;
/** The longest answer that is kept, in characters. */
const MAX_BODY_LENGTH = 1_048_576;
const AN_HOUR = 3_600_000;
const REPLAYED = ['idempotent-replayed', 'true'];

/**
 * Answers requests with a key, one for each key at a time.
 *
 * @param deadline how long a request may take, in milliseconds
 * @param makeContext makes the context of a database
 */
export function createIdempotency(
  database: Database,
  deadline: number,
  makeContext: (database: Database) => Context,
): Idempotency {
  const keys = keyStore(database);
  let timer: NodeJS.Timeout | undefined;
  let forgetting = Promise.resolve();
  /** The keys of this process; those of others are locked in the database. */
  const running = new Set<string>();
  const transactionsOf = (most: number) =>
    createTransactions(database, most, deadline, ({ database: own, strict, savepoint }) => ({
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
        const once = database.bind((place: Place) => answerOnce(database, request, work, place));
        const outcome = await transactions[changes].run(request.account, once);
        if (outcome === undefined) throw conflict();
        return 'fingerprint' in outcome ? { reply: replay(request, outcome), error: undefined } : outcome;
      } finally {
        running.delete(id);
      }
    },

    begin(onFailure) {
      const forget = () => {
        forgetting = forgetting.then(keys.forget).catch(onFailure);
      };
      timer = setInterval(forget, AN_HOUR).unref();
      forget();
    },

    async end() {
      clearInterval(timer);
      await forgetting;
    },
  };
}

/** What a request has to itself in its transaction. */
interface Place {
  readonly own: KeyStore;
  readonly context: Context;
  readonly savepoint: SessionDatabases['savepoint'];
}

/** What has been stored before, or the answer to the work; undefined where another process is at it. */
async function answerOnce(
  database: Database,
  request: KeyedRequest,
  work: (context: Context) => Promise<Outcome>,
  { own, context, savepoint }: Place,
): Promise<Settled<StoredReply | Outcome | undefined>> {
  const keep = database.bind(own.keep);
  // Sent together: what holds the key has ended when it is looked for.
  const [isHeld, stored] = await Promise.all([own.hold(request), own.find(request), savepoint()]);
  if (!isHeld) return { value: undefined, commit: false };
  if (stored !== undefined) return { value: stored, commit: true };
  const outcome = await work(context);
  // It names stored values, which only a caller that may read is told.
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
