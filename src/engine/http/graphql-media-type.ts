import { LRUCache } from 'lru-cache';
import { preferredOf } from './negotiation.ts';

/** The media types of GraphQL responses (GraphQL over HTTP, section 6.1). */
export const JSON_TYPE = 'application/json';
const TYPES = [JSON_TYPE, 'application/graphql-response+json'];

/** How many `Accept` fields are cached; each may be as long as a header can be. */
const MAX_ACCEPTS = 100;

/** @returns gives the media type that an `Accept` field prefers; undefined if it accepts neither */
export function mediaTypeReader(): (accept: string | null) => string | undefined {
  const known = new LRUCache<string, string>({ max: MAX_ACCEPTS });
  return (accept) => {
    if (accept === null || accept === '' || accept === '*/*' || accept === JSON_TYPE) return JSON_TYPE;
    const found = known.get(accept);
    if (found !== undefined) return found;
    const type = preferredOf(accept, TYPES);
    if (type !== undefined) known.set(accept, type);
    return type;
  };
}
