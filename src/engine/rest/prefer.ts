import type { RequestHeaders } from '../http/headers.ts';

const COUNT = /^\s*count\s*=\s*(?:exact|"exact")\s*(?:;|$)/i;

/** The `Preference-Applied` field of a response with the total. */
export const COUNT_APPLIED = 'count=exact';

/**
 * Whether the client prefers a list with its total: `Prefer: count=exact` (RFC 7240). Other preferences are ignored, as
 * its section 2 requires.
 */
export function prefersCount(headers: RequestHeaders): boolean {
  const prefer = headers.get('prefer');
  return prefer?.split(',').some((preference) => COUNT.test(preference)) ?? false;
}
