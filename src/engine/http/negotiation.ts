import Negotiator from 'negotiator';

const PROBLEM = 'application/problem+json';

/** The one of these media types that the client would rather have; the first where it is all one; undefined for none. */
export function preferredOf(accept: string, available: readonly string[]): string | undefined {
  return mediaTypes(accept, [...available])[0];
}

/** Whether the client takes JSON: an answer has no other form. One that asks for problems alone takes it too. */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null || accept === '' || accept === '*/*' || accept === 'application/json') return true;
  return mediaTypes(accept, ['application/json', PROBLEM]).length > 0;
}

/** Whether the client names the problem details of RFC 9457 among what it takes. */
export function acceptsProblem(accept: string | null): boolean {
  const isNamed = accept?.includes(PROBLEM) ?? false;
  return isNamed && mediaTypes(accept ?? '', [PROBLEM]).length > 0;
}

/** Whether the client would rather have a page than JSON: a browser does. */
export function prefersHtml(accept: string | null): boolean {
  return accept !== null && preferredOf(accept, ['application/json', 'text/html']) === 'text/html';
}

/** Whether the client takes a compressed answer. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  return new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encodings(['gzip']).length > 0;
}

function mediaTypes(accept: string, available: string[]): string[] {
  // A parameter such as charset narrows nothing here; the negotiator would take it for a part of the type.
  const plain = accept.replaceAll(/;(?!\s*q=)[^;,]*/gi, '');
  return new Negotiator({ headers: { accept: plain } }).mediaTypes(available);
}
