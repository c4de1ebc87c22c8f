import { LRUCache } from 'lru-cache';
import { preferredOf } from './negotiation.ts';

/** What answers are: GraphQL over HTTP, section 6.1. */
export const JSON_TYPE = 'application/json';
const TYPES = [JSON_TYPE, 'application/graphql-response+json'];

/** How many `Accept` fields are known, each as long as a header may be at most. */
const MAX_ACCEPTS = 100;

/** @returns tells the media type that a client would rather have by its `Accept` field; undefined where it takes neither */
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
