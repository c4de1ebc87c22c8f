import Negotiator from 'negotiator';

const PROBLEM = 'application/problem+json';

/**
 * The available media type that the client prefers, the first if it has no preference; undefined if it accepts none.
 */
export function preferredOf(accept: string, available: readonly string[]): string | undefined {
  return mediaTypes(accept, [...available])[0];
}

/** Whether the client accepts JSON, the only format of responses; `application/problem+json` alone counts too. */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null || accept === '' || accept === '*/*' || accept === 'application/json') return true;
  return mediaTypes(accept, ['application/json', PROBLEM]).length > 0;
}

/** Whether the client explicitly accepts problem details (RFC 9457). */
export function acceptsProblem(accept: string | null): boolean {
  const isNamed = accept?.includes(PROBLEM) ?? false;
  return isNamed && mediaTypes(accept ?? '', [PROBLEM]).length > 0;
}

/** Whether the client prefers HTML to JSON, as browsers do. */
export function prefersHtml(accept: string | null): boolean {
  return accept !== null && preferredOf(accept, ['application/json', 'text/html']) === 'text/html';
}

/** Whether the client accepts gzip. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  return new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encodings(['gzip']).length > 0;
}

function mediaTypes(accept: string, available: string[]): string[] {
  // Parameters such as charset don't matter here, but Negotiator would compare them as part of the type.
  const plain = accept.replaceAll(/;(?!\s*q=)[^;,]*/gi, '');
  return new Negotiator({ headers: { accept: plain } }).mediaTypes(available);
}
