import type { RequestHeaders } from '../http/headers.ts';

const COUNT = /^\s*count\s*=\s*(?:exact|"exact")\s*(?:;|$)/i;

/** What an answer says that has kept to the preference. */
export const COUNT_APPLIED = 'count=exact';

/**
 * Whether the client would have a list counted: `Prefer: count=exact` (RFC 7240). Other preferences are ignored, as
 * section 2 of it has it.
 */
export function prefersCount(headers: RequestHeaders): boolean {
  const prefer = headers.get('prefer');
  return prefer?.split(',').some((preference) => COUNT.test(preference)) ?? false;
}
