import { hash } from 'node:crypto';
import { READ } from '../auth/scope.ts';
import { ServiceError } from '../errors.ts';
import type { RequestHeaders } from '../http/headers.ts';
import { stringifyJson } from '../json.ts';

/** A request that must have its effect only once. */
export interface KeyedRequest {
  /** Another caller may use the same key for another request. */
  readonly caller: string;
  /** The caller, or the address of one without a credential. */
  readonly account: string;
  /** Called before a stored reply that needs `read` is returned; throws, because the scopes of a caller may change. */
  readonly authorizeRead: () => void;
  readonly key: string;
  /** All requests with one key must have the same. */
  readonly fingerprint: string;
}

/** The draft defines it as a string in quotes (RFC 9651, section 3.3.3); most clients omit the quotes. */
const KEY = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;

/** The key of a request (draft-ietf-httpapi-idempotency-key-header), or null; throws INVALID_ARGUMENT. */
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

/** The digest of the parts of a request, which doesn't depend on the order of an object's keys. */
export function fingerprintOf(...parts: readonly unknown[]): string {
  return hash('sha256', stringifyJson(parts.map(withSortedKeys)), 'base64url');
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withSortedKeys(inner)]));
}

/** The digest for a stored response that only a caller with `read` may get. */
export function readersFingerprint(fingerprint: string): string {
  return fingerprintOf(READ, fingerprint);
}
