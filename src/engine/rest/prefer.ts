import type { RequestHeaders } from '../http/headers.ts';

const COUNT = /^\s*count\s*=\s*(?:exact|"exact")\s*(?:;|$)/i;

/**
 * Whether the client prefers a list with its total: `Prefer: count=exact` (RFC 7240). Other preferences are ignored, as
 * its section 2 requires.
 */
export function prefersCount(headers: RequestHeaders): boolean {
  const prefer = headers.get('prefer');
  return prefer?.split(',').some((preference) => COUNT.test(preference)) ?? false;
}
