/** Header fields of ours that a page of another origin may read. */
const EXPOSED = [
  'Accept-Patch',
  'Allow',
  'API-Stability',
  'Deprecation',
  'Link',
  'Location',
  'Retry-After',
  'Sunset',
  'Warning',
  'X-Request-Id',
].join(', ');

const ALLOWED = 'Accept, API-Client, API-Lifecycle, Apollographql-Client-Name, Content-Type, X-Request-Id';
const A_DAY = '86400';

/** What the answers to requests of an origin carry, by the CORS protocol of the Fetch standard. */
export interface Cors {
  /** Adds to an answer's header fields what its origin has to be told. */
  addTo(headers: Record<string, string>, origin: string | null): void;
  /** What the answer to a preflight carries beyond that. */
  preflightHeaders(methods: string): Readonly<Record<string, string>>;
}

/** @param origins those that may read answers; `*` for all */
export function createCors(origins: readonly string[]): Cors {
  const allowsAll = origins.includes('*');
  return {
    addTo(headers, origin) {
      const isAllowed = allowsAll || (origin !== null && origins.includes(origin));
      if (isAllowed) {
        headers['access-control-allow-origin'] = allowsAll ? '*' : (origin as string);
        headers['access-control-expose-headers'] = EXPOSED;
      }
      if (allowsAll || origins.length === 0) return;
      headers.vary = headers.vary === undefined ? 'Origin' : `${headers.vary}, Origin`;
    },
    preflightHeaders: (methods) => ({
      'access-control-allow-methods': methods,
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': A_DAY,
    }),
  };
}
