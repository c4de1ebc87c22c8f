import type { HeaderFields } from './reply.ts';

/** Header fields of ours that a page of another origin may read. */
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

/** The header fields of answers, by the CORS protocol of the Fetch standard. */
export interface Cors {
  /**
   * Those of every answer to a request.
   *
   * @param origin its `Origin` field; null for a request that comes from no page of another origin
   */
  headersFor(origin: string | null): HeaderFields;
  /** The further ones of the answer to a preflight. */
  preflightHeaders(methods: string): HeaderFields;
}

/** @param origins those that may read answers; `*` for all */
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
