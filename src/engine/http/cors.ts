import type { HeaderFields } from './reply.ts';

/** The header fields that a page of another origin may read. */
const EXPOSED =
  'Accept-Encoding, Accept-Patch, Allow, API-Stability, Deprecation, ETag, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, Total-Count, Warning, WWW-Authenticate, X-Request-Id';
/** Those that it may send. */
const ALLOWED =
  'Accept, API-Client, API-Lifecycle, Apollographql-Client-Name, Apollographql-Client-Version, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Traceparent, Tracestate, X-Request-Id';
const A_DAY = '86400';

/**
 * @param origins the origins that may read responses; `*` for all
 * @returns gives the CORS fields of a response (Fetch standard), by the request's `Origin` field
 */
export function corsHeaders(origins: readonly string[]): (origin: string | null) => HeaderFields {
  const toOthers = origins.length === 0 ? [] : ['vary', 'Origin'];
  const toEach = new Map(
    origins.map((origin) => [
      origin,
      ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED, 'vary', 'Origin'],
    ]),
  );
  const toAll = toEach.get('*');
  return (origin) => (origin === null ? toOthers : (toAll ?? toEach.get(origin) ?? toOthers));
}

/** The further CORS fields of the response to a preflight request. */
export function preflightHeaders(methods: string): HeaderFields {
  return [
    ...['access-control-allow-methods', methods],
    ...['access-control-allow-headers', ALLOWED],
    ...['access-control-max-age', A_DAY],
  ];
}
