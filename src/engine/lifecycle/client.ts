/**
 * The client names of this service's own pages. Their requests do not count as uses: people only try something out
 * there.
 */
export const OWN_PAGES: ReadonlySet<string> = new Set(['(reference)', '(playground)']);
const UNKNOWN = '(unknown)';
const MAX_LENGTH = 64;
/** The maximum size of each cache, and the maximum length of its keys: longer ones are parsed each time. */
const MAX_CACHED = 1_000;
const MAX_CACHED_LENGTH = 500;

/**
 * Creates the function that reads the client name of a request: the `API-Client` field, else
 * `apollographql-client-name`, else the product of `User-Agent` (RFC 9110, section 10.1.5), without its version. A name
 * is safe to show anywhere: it has at most 64 letters, digits and `. _ @ / + -`; other characters become `-`. So it is
 * one of `OWN_PAGES` only if the client sent exactly that.
 */
export function clientReader(): (headers: Pick<Headers, 'get'>) => string {
  const byName = new Map<string, string>();
  const byAgent = new Map<string, string>();
  return (headers) => {
    const given = headers.get('api-client') || headers.get('apollographql-client-name');
    if (given) return OWN_PAGES.has(given) ? given : cached(byName, given, toName);
    return cached(byAgent, headers.get('user-agent') ?? '', (agent) => toName(productOf(agent)));
  };
}

function cached(cache: Map<string, string>, text: string, parse: (text: string) => string): string {
  const before = cache.get(text);
  if (before !== undefined) return before;
  const name = parse(text);
  if (cache.size === MAX_CACHED) cache.clear();
  if (text.length <= MAX_CACHED_LENGTH) cache.set(text, name);
  return name;
}

function productOf(agent: string): string {
  return (/^[^\s/(]*/.exec(agent) as RegExpExecArray)[0];
}

function toName(text: string): string {
  const name = text
    .slice(0, 4 * MAX_LENGTH)
    .replaceAll(/[^\w.@/+-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH);
  return name === '' ? UNKNOWN : name;
}
