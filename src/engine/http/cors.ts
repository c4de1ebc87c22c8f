import { ServiceError } from '../errors.ts';
import type { IncomingRequest } from './incoming.ts';
import type { HeaderFields } from './reply.ts';

/** The header fields that a page of another origin may read. */
const EXPOSED =
  'Accept-Encoding, Accept-Patch, Allow, API-Stability, Deprecation, ETag, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, Total-Count, Traceparent, Warning, WWW-Authenticate, X-Request-Id';
/** Those that it may send. */
const ALLOWED =
  'Accept, API-Client, API-Lifecycle, Apollographql-Client-Name, Apollographql-Client-Version, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Traceparent, Tracestate, X-Request-Id';
const A_DAY = '86400';

/** Gives the CORS fields of a response by the request's `Origin`. All `origins`, or every one for `*`, may read it. */
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

/**
 * Throws FORBIDDEN for a request of a page that is neither the service's nor of one of the origins. Behind a proxy that
 * ends TLS, the service sees another scheme than the browser, so its own origin is found by the host.
 */
export function originGuard(origins: readonly string[]): (request: IncomingRequest) => void {
  const allowed = new Set(origins);
  return ({ headers, origin: own }) => {
    const origin = headers.get('origin');
    if (origin === null || allowed.has('*') || allowed.has(origin)) return;
    const host = hostOf(origin);
    if (host === headers.get('host') || host === hostOf(own)) return;
    const message = `Pages of the origin ${origin} may not send this request: CORS_ORIGINS does not list it.`;
    throw new ServiceError('FORBIDDEN', message);
  };
}

function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, '');
}

export function preflightHeaders(methods: string): HeaderFields {
  return [
    ...['access-control-allow-methods', methods],
    ...['access-control-allow-headers', ALLOWED],
    ...['access-control-max-age', A_DAY],
  ];
}
