import { type DocumentNode, getOperationAST, parse, stripIgnoredCharacters } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { HttpReply } from '../http/reply.ts';
import { fingerprintOf, type KeyedRequest, readKey } from '../idempotency/key.ts';
import type { Idempotency, Outcome } from '../idempotency/run.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import { MOST_TOKENS } from './limits.ts';
import { type KnownDocuments, onlyField } from './operations.ts';

/** A mutation that must not be done twice. */
export interface KeyedMutation extends KeyedRequest {
  readonly changes: 'one' | 'several';
}

/**
 * The request as one that must not be done twice; undefined where it came without a key or is no mutation.
 *
 * @throws {ServiceError} INVALID_ARGUMENT when the key is none
 */
export function keyedMutation(
  { caller, mayRead, request }: Pick<Call, 'caller' | 'mayRead' | 'request'>,
  params: GraphQLParams | undefined,
  documents: KnownDocuments,
): KeyedMutation | undefined {
  if (typeof params?.query !== 'string') return undefined;
  const { query, operationName, variables } = params;
  const document = documents.get(query) ?? parsed(query);
  const operation = document && getOperationAST(document, operationName);
  if (operation?.operation !== 'mutation') return undefined;
  const key = readKey(request.headers);
  if (key === null) return undefined;
  const changes = onlyField(operation) === undefined ? 'several' : 'one';
  // Layout and comments of a document, and what stands for no variables, ask for nothing.
  const asked = stripIgnoredCharacters(query);
  const fingerprint = fingerprintOf('graphql', asked, operationName ?? null, variables ?? {});
  return { caller: caller.id, account: request.account ?? '', mayRead, key, fingerprint, changes };
}

/** What cannot be read is refused where all else is. */
function parsed(query: string): DocumentNode | undefined {
  try {
    return parse(query, { maxTokens: MOST_TOKENS });
  } catch {
    return undefined;
  }
}

/** A mutation that must not be done twice: it begins once all that could refuse it has been asked. */
export class KeyedCall {
  /** The answer of before, where it has been done already. */
  replay: HttpReply | undefined;
  readonly #idempotency: Idempotency;
  readonly #request: KeyedMutation;
  #answering: Promise<HttpReply> | undefined;
  #settle: { resolve(outcome: Outcome): void; reject(error: unknown): void } | undefined;

  constructor(idempotency: Idempotency, request: KeyedMutation) {
    this.#idempotency = idempotency;
    this.#request = request;
  }

  /** Whether it runs, or has run, in a transaction that has to be ended. */
  get hasBegun(): boolean {
    return this.#settle !== undefined;
  }

  /** The context to run in; rejects when it must not be run. */
  begin(): Promise<Context> {
    return new Promise((resolve, reject) => {
      const work = async (context: Context): Promise<Outcome> => {
        resolve(context);
        return new Promise((end, fail) => {
          this.#settle = { resolve: end, reject: fail };
        });
      };
      this.#answering = this.#idempotency.answer(this.#request, work, this.#request.changes);
      this.#answering.then((reply) => {
        if (!this.hasBegun) this.replay = reply;
        reject(new Error('It has been done.'));
      }, reject);
    });
  }

  /** Ends its transaction; the answer, once it stands. */
  end(outcome: Outcome): Promise<HttpReply> {
    this.#settle?.resolve(outcome);
    return this.#answering as Promise<HttpReply>;
  }

  /** Undoes all of it; rejects with the error. */
  undo(error: unknown): Promise<HttpReply> {
    this.#settle?.reject(error);
    return this.#answering as Promise<HttpReply>;
  }
}
