import { hash } from 'node:crypto';
import { READ } from '../auth/scope.ts';
import { ServiceError } from '../errors.ts';
import type { RequestHeaders } from '../http/headers.ts';
import { stringifyJson } from '../json.ts';

/** A request that must not be done twice. */
export interface KeyedRequest {
  /** Whose key it is: others may use the same one for something else. */
  readonly caller: string;
  /** Whom it is charged to: also tells those apart who have no credential. */
  readonly account: string;
  /**
   * Called before it is told what is stored: the scopes of a caller may change.
   *
   * @throws {ServiceError} FORBIDDEN
   */
  readonly authorizeRead: () => void;
  readonly key: string;
  /** A digest of what is asked for: under one key it is always the same. */
  readonly fingerprint: string;
}

/** The draft has it as a string in quotes (RFC 9651, section 3.3.3); most clients leave the quotes out. */
const KEY = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;

/**
 * The key that a request came with, by draft-ietf-httpapi-idempotency-key-header; null where it has none.
 *
 * @throws {ServiceError} INVALID_ARGUMENT when it is no key
 */
export function readKey(headers: RequestHeaders): string | null {
  const field = headers.get('idempotency-key');
  if (field === null) return null;
  const match = KEY.exec(field);
  if (match !== null) return match[1] ?? (match[2] as string);
  throw new ServiceError(
    'INVALID_ARGUMENT',
    'Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID, without a quote or a backslash.',
  );
}

/** The digest of what is asked for, however it is written: the keys of an object may come in any order. */
export function fingerprintOf(...asked: readonly unknown[]): string {
  return hash('sha256', stringifyJson(asked.map(inOrder)), 'base64url');
}

/** The same value, with the keys of its objects in one order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}

/** The digest that an answer is stored with which only a caller that may read is told. */
export function readersFingerprint(fingerprint: string): string {
  return fingerprintOf(READ, fingerprint);
}
