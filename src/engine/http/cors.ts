import type { HeaderFields } from './reply.ts';

/** The header fields that a page of another origin may read. */
const EXPOSED = [
  'Accept-Patch',
  'Allow',
  'API-Stability',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Total-Count',
  'Warning',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

const ALLOWED =
  'Accept, API-Client, API-Lifecycle, Apollographql-Client-Name, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Traceparent, Tracestate, X-Request-Id';
const A_DAY = '86400';
const VARYING = ['vary', 'Origin'];

/** The header fields of the CORS protocol (Fetch standard). */
export interface Cors {
  /**
   * The fields of every response.
   *
   * @param origin the request's `Origin` field; null if it has none
   */
  headersFor(origin: string | null): HeaderFields;
  /** The further fields of the response to a preflight request. */
  preflightHeaders(methods: string): HeaderFields;
}

/** @param origins the origins that may read responses; `*` for all */
export function createCors(origins: readonly string[]): Cors {
  const allowsAll = origins.includes('*');
  const toAll = [...allowing('*'), ...VARYING];
  const toOthers = origins.length === 0 ? [] : VARYING;
  const toEach = new Map(origins.map((origin) => [origin, [...allowing(origin), ...VARYING]]));
  return {
    headersFor: (origin) => {
      if (origin === null) return toOthers;
      return allowsAll ? toAll : (toEach.get(origin) ?? toOthers);
    },
    preflightHeaders: (methods) => [
      ...['access-control-allow-methods', methods],
      ...['access-control-allow-headers', ALLOWED],
      ...['access-control-max-age', A_DAY],
    ],
  };
}

function allowing(origin: string): HeaderFields {
  return ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED];
}
