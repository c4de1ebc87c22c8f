import { ServiceError } from '../errors.ts';
import type { Annotated } from './annotated.ts';
import { clientReader } from './client.ts';
import type { Guard, Labels } from './guard.ts';

/** Who asks, and whether for nothing deprecated or experimental. */
interface Requester {
  readonly headers: Pick<Headers, 'get'>;
  readonly isStrict: boolean;
}

/**
 * Counts what a request uses of what is marked, and rejects what must not be answered.
 *
 * @throws {ServiceError} as the guard does; what is rejected is counted all the same, for somebody still asks for it
 */
export type EnforceLifecycle = (uses: readonly Annotated[], requester: Requester, labels: Labels) => void;

/**
 * Whether the client wants nothing deprecated or experimental: `API-Lifecycle: strict`.
 *
 * @throws {ServiceError} INVALID_ARGUMENT when the field says anything else
 */
export function wantsStrict(headers: Requester['headers']): boolean {
  const asked = headers.get('api-lifecycle');
  if (asked === null || asked === 'strict') return asked !== null;
  throw new ServiceError('INVALID_ARGUMENT', 'The API-Lifecycle field must be strict.');
}

/** @param count told of each use, and of the client whose it is */
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
