import { ServiceError } from '../errors.ts';
import type { Annotated } from './annotated.ts';
import { clientReader } from './client.ts';
import type { Guard, Labels } from './guard.ts';

/** The request's header fields, and whether it excludes deprecated and experimental elements. */
interface Requester {
  readonly headers: Pick<Headers, 'get'>;
  readonly isStrict: boolean;
}

/**
 * Counts the annotated elements that a request uses, and rejects the request if the guard does.
 *
 * @throws {ServiceError} as the guard does; a rejected use counts too, because the client still depends on it
 */
export type EnforceLifecycle = (uses: readonly Annotated[], requester: Requester, labels: Labels) => void;

/**
 * Whether the request excludes deprecated and experimental elements: `API-Lifecycle: strict`.
 *
 * @throws {ServiceError} INVALID_ARGUMENT if the field has any other value
 */
export function wantsStrict(headers: Requester['headers']): boolean {
  const value = headers.get('api-lifecycle');
  if (value === null || value === 'strict') return value !== null;
  throw new ServiceError('INVALID_ARGUMENT', 'The API-Lifecycle field must be strict.');
}

/** @param count called with each use and the name of its client */
export function createLifecycleEnforcement(
  guard: Guard,
  count: (use: Annotated, client: string) => void,
): EnforceLifecycle {
  const clientOf = clientReader();
  return (uses, requester, labels) => {
    if (uses.length === 0) return;
    const client = clientOf(requester.headers);
    for (const use of uses) count(use, client);
    guard(uses, requester.isStrict, labels);
  };
}
