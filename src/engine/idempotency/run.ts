import { batched } from '../db/batch.ts';
import type { Database } from '../db/client.ts';
import { createTransactions } from '../db/transactions.ts';
import { ServiceError } from '../errors.ts';
import type { HttpReply, Outcome } from '../http/reply.ts';
import { createRounds } from '../rounds.ts';
import type { Context } from '../schema/context.ts';
import { type KeyedRequest, readersFingerprint } from './key.ts';
import { type KeyStore, keyStore, type StoredReply } from './store.ts';

export type Idempotency = ReturnType<typeof createIdempotency>;

/** How many transactions for requests with one change are in progress at once; one caller may have one fewer. */
const MAX_IN_PROGRESS = 3;
/** The same for several changes. They lock rows while they wait for others, so two may deadlock until they time out. */
const MAX_OF_SEVERAL = 2;
/** How many requests with one change share a transaction at most. */
const MAX_TOGETHER = 32;
/** The maximum length of a stored reply, in characters. */
const MAX_BODY_LENGTH = 1_048_576;
const AN_HOUR = 3_600_000;
const REPLAYED = ['idempotent-replayed', 'true'] as const;

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
  onDeletionFailure: (error: unknown) => void,
) {
  const keys = keyStore(database);
  const deletions = createRounds(() => deleteSome().catch(onDeletionFailure));
  /** The keys in progress in this process; keys of other processes are locked in the database. */
  const running = new Set<string>();
  const transactionsOf = (max: number) =>
    createTransactions(database, max, (session) => ({ store: keyStore(session), context: makeContext(session) }));
  const transactions = { one: transactionsOf(MAX_IN_PROGRESS), several: transactionsOf(MAX_OF_SEVERAL) };
  const runAlone = async (changes: 'one' | 'several', call: KeyedCall) => {
    const [answer] = await transactions[changes](call.request.account, call.latest, inTransaction(database, [call]));
    return answer;
  };
  const runOne = batched<KeyedCall, KeyedResult>(database, 'idempotency', runTogether, MAX_TOGETHER);

  return {
    /**
     * Does the work, and stores its reply in the same transaction; or returns the stored reply, byte for byte.
     *
     * @param work makes its changes with the stores of the context only; if it rejects, they are undone, and the client
     *   may retry with the same key
     * @param changes whether it makes one change, or several in an order that the client chooses
     * @throws {ServiceError} IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_CONFLICT, UNAUTHENTICATED or FORBIDDEN when the stored
     *   reply needs `read`, or as transactions do; nothing was changed then
     */
    async answer(
      request: KeyedRequest,
      work: (context: Context) => Promise<Outcome>,
      changes: 'one' | 'several',
    ): Promise<Outcome> {
      const id = JSON.stringify([request.caller, request.key]);
      if (running.has(id)) {
        // It may only wait for its turn to get the stored reply, too.
        const [stored] = await keys.find([request]);
        return outcomeOf(request, stored);
      }
      running.add(id);
      try {
        const call = { request, work: database.bind(work), latest: performance.now() + deadline };
        const answer = await (changes === 'one' ? runOne(call) : runAlone('several', call));
        return outcomeOf(request, answer);
      } finally {
        running.delete(id);
      }
    },

    /** Deletes replies older than a day, now and every hour. */
    begin(): void {
      deletions.repeat(AN_HOUR);
      deletions.wake();
    },

    /** Stops deleting; resolves when no deletion is in progress. */
    end: deletions.end,
  };

  async function deleteSome(): Promise<void> {
    if (await keys.deleteOld()) deletions.wake();
  }

  async function runTogether(calls: readonly KeyedCall[]): Promise<readonly (KeyedResult | Promise<KeyedResult>)[]> {
    const alone = database.bind((call: KeyedCall) => runAlone('one', call));
    const [first, ...others] = calls as readonly [KeyedCall, ...KeyedCall[]];
    if (others.length === 0) return [await alone(first)];
    try {
      return await transactions.one(undefined, first.latest, inTransaction(database, calls));
    } catch {
      // Nothing was changed: each is tried on its own, so that only the bad ones fail.
      return calls.map(alone);
    }
  }
}

interface KeyedCall {
  readonly request: KeyedRequest;
  readonly work: (context: Context) => Promise<Outcome>;
  /** When its transaction must have begun and ended, as a time of `performance.now`. */
  readonly latest: number;
}

/** The stored reply, or the outcome of the work; undefined when another process has the key in progress. */
type KeyedResult = StoredReply | Outcome | undefined;

/** Makes the function that answers requests in one transaction; it rejects if the work of one does. */
function inTransaction(database: Database, calls: readonly KeyedCall[]) {
  return database.bind(
    async ({ store, context }: { store: KeyStore; context: Context }): Promise<readonly KeyedResult[]> => {
      const requests = calls.map(({ request }) => request);
      const keep = database.bind(store.keep);
      const isTogether = calls.length > 1;
      // Sent together, and run in order: the replies are looked up after the keys are locked.
      const [held, stored] = await Promise.all([
        store.lockKeys(requests),
        store.find(requests),
        isTogether && store.waitBriefly(),
      ]);
      const isNew = (index: number) => held[index] === true && stored[index] === undefined;
      const outcomes = await allOf(calls.map(({ work }, index) => (isNew(index) ? work(context) : undefined)));
      const fresh = outcomes.flatMap((outcome, index) =>
        outcome === undefined ? [] : [toStored(requests[index] as KeyedRequest, outcome)],
      );
      if (fresh.length > 0) await keep(fresh);
      return outcomes.map((outcome, index) => outcome ?? stored[index]);
    },
  );
}

/** The values of all promises; if one of them rejects, rejects as soon as all have ended. */
async function allOf<T>(promises: readonly (T | Promise<T>)[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function toStored({ caller, key, fingerprint }: KeyedRequest, { reply, error }: Outcome) {
  if (typeof reply.body === 'string' && reply.body.length > MAX_BODY_LENGTH) {
    throw new ServiceError(
      'INVALID_ARGUMENT',
      `The response to a request with an Idempotency-Key may have at most ${MAX_BODY_LENGTH} characters; request less.`,
    );
  }
  const needsRead = error?.revealsStoredData ?? false;
  return { caller, key, fingerprint: needsRead ? readersFingerprint(fingerprint) : fingerprint, ...reply };
}

/** The outcome of the result of a request; throws if there is none, or it is a reply that the request may not have. */
function outcomeOf(request: KeyedRequest, result: KeyedResult): Outcome {
  if (result === undefined) {
    const message = 'A request with this Idempotency-Key is in progress; try again to get its response.';
    throw new ServiceError('IDEMPOTENCY_CONFLICT', message);
  }
  if (!('fingerprint' in result)) return result;
  const { fingerprint, reply } = result;
  if (fingerprint === readersFingerprint(request.fingerprint)) request.authorizeRead();
  else if (fingerprint !== request.fingerprint) {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another request within the last 24 hours. Use a new key for a new request.',
    );
  }
  return { reply: { ...reply, headers: [...reply.headers, ...REPLAYED] }, error: undefined };
}

/** Whether it is the stored reply to an earlier request. */
export function isReplay({ headers }: HttpReply): boolean {
  return headers.includes(REPLAYED[0]);
}
