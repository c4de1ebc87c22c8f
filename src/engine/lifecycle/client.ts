import { LRUCache } from 'lru-cache';
import type { RequestHeaders } from '../http/headers.ts';
import { copyOf } from '../text.ts';

/** The names of this service's own pages. Their requests do not count as uses: people only try something out there. */
export const OWN_PAGES: ReadonlySet<string> = new Set(['(reference)', '(playground)']);
const UNKNOWN = '(unknown)';
const MAX_LENGTH = 64;
/** How many texts are cached with the names that they give. */
const MAX_KNOWN = 100;
const known = new LRUCache<string, string>({ max: MAX_KNOWN });

/**
 * The client's name: the `API-Client` field, else `apollographql-client-name`, else the product of `User-Agent` (RFC
 * 9110, section 10.1.5). It is safe to show anywhere: at most 64 letters, digits and `. _ @ / + -`; other characters
 * become `-`. So it is one of `OWN_PAGES` only if the client sent exactly that.
 */
export function clientOf(headers: RequestHeaders): string {
  const given = headers.get('api-client') || headers.get('apollographql-client-name');
  if (given) return OWN_PAGES.has(given) ? given : toName(given);
  const [product] = /^[^\s/(]*/.exec(headers.get('user-agent') ?? '') as RegExpExecArray;
  return toName(product);
}

function toName(given: string): string {
  const text = given.slice(0, 4 * MAX_LENGTH);
  const cached = known.get(text);
  if (cached !== undefined) return cached;
  const copy = copyOf(text);
  const plain = copy
    .replaceAll(/[^\w.@/+-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH);
  const name = plain || UNKNOWN;
  known.set(copy, name);
  return name;
}
