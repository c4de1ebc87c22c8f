import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

const JSON_TYPE = 'application/json';
const EVENT_STREAM = 'text/event-stream';
const PROBLEM = 'application/problem+json';

/** Whether the client accepts JSON, the only format of responses; `application/problem+json` alone counts too. */
export function acceptsJson(accept: string | null): boolean {
  return accept === null || isPlain(accept) || mediaTypes(accept, [JSON_TYPE, PROBLEM]).length > 0;
}

/** Whether the client prefers a stream of server-sent events to JSON, as `EventSource` does. */
export function acceptsEventStream(accept: string | null): boolean {
  return names(accept, EVENT_STREAM) && mediaTypes(accept, [JSON_TYPE, EVENT_STREAM])[0] === EVENT_STREAM;
}

/** Whether the client names a stream of server-sent events among what it accepts, however little it prefers it. */
export function namesEventStream(accept: string | null): boolean {
  return names(accept, EVENT_STREAM);
}

/** How many values and characters of a field that lists what a client prefers count: a field has room for thousands. */
const MAX_VALUES = 50;
const MAX_LENGTH = 1_000;
/** How many `Accept` fields are cached; each may be as long as a header can be. */
const MAX_ACCEPTS = 100;
const graphqlTypes = new LRUCache<string, string>({ max: MAX_ACCEPTS });

/** The preferred media type of a GraphQL response (GraphQL over HTTP, section 6.1); undefined if none is accepted. */
export function graphqlType(accept: string | null): string | undefined {
  if (accept === null || isPlain(accept)) return JSON_TYPE;
  const known = graphqlTypes.get(accept);
  if (known !== undefined) return known;
  const [type] = mediaTypes(accept, [JSON_TYPE, 'application/graphql-response+json']);
  if (type !== undefined) graphqlTypes.set(accept, type);
  return type;
}

/** Whether an `Accept` field says no more than that JSON is accepted, as most do. */
function isPlain(accept: string): boolean {
  return accept === '' || accept === '*/*' || accept === JSON_TYPE;
}

/** Whether the client names problem details (RFC 9457). */
export function acceptsProblem(accept: string | null): boolean {
  return names(accept, PROBLEM);
}

/** Whether the client prefers HTML to JSON, as browsers do. */
export function prefersHtml(accept: string | null): boolean {
  return accept !== null && mediaTypes(accept, [JSON_TYPE, 'text/html'])[0] === 'text/html';
}

export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  return (
    new Negotiator({ headers: { 'accept-encoding': firstValues(acceptEncoding).join() } }).encodings(['gzip']).length >
    0
  );
}

function names(accept: string | null, type: string): accept is string {
  return accept?.toLowerCase().includes(type) === true && mediaTypes(accept, [type]).length > 0;
}

function mediaTypes(accept: string, available: string[]): string[] {
  // Parameters such as charset don't matter here, but Negotiator would compare them as part of the type.
  const plain = firstValues(accept)
    .join()
    .replaceAll(/;(?!\s*q=)[^;,]*/gi, '');
  return new Negotiator({ headers: { accept: plain } }).mediaTypes(available);
}

/** The values of a field that count. */
export function firstValues(field: string): string[] {
  return field.slice(0, MAX_LENGTH).split(',', MAX_VALUES);
}
