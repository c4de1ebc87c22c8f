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
  headersFor(origin: string | null): Readonly<Record<string, string>>;
  /** What the answer to a preflight carries beyond that. */
  preflightHeaders(methods: string): Readonly<Record<string, string>>;
}

/** @param origins those that may read answers; `*` for all */
export function createCors(origins: readonly string[]): Cors {
  const forAll = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
  const forNone = { vary: 'Origin' };
  return {
    headersFor(origin) {
      if (origins.includes('*')) return forAll;
      if (origin === null || !origins.includes(origin)) return origins.length === 0 ? {} : forNone;
      return { ...forNone, ...forAll, 'access-control-allow-origin': origin };
    },
    preflightHeaders: (methods) => ({
      'access-control-allow-methods': methods,
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': A_DAY,
    }),
  };
}
