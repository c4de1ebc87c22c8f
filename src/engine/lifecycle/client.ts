/** What the pages of this service call themselves: a reader tries out what is there, and nobody would miss it for that. */
export const OWN_PAGES: ReadonlySet<string> = new Set(['(reference)', '(playground)']);
/** Clients that tell nothing of themselves. */
const UNKNOWN = '(unknown)';
const MAX_LENGTH = 64;
/** Of names and of agents each; longer ones are read anew each time. */
const MAX_REMEMBERED = 1_000;
const MAX_REMEMBERED_LENGTH = 500;

/**
 * Makes the reader of who a request comes from: the `API-Client` field, else `apollographql-client-name`, else the
 * product of `User-Agent` (RFC 9110, section 10.1.5), without its version. What it answers is harmless wherever it is
 * shown: at most 64 of letters, digits and `. _ @ / + -`; other characters become `-`. So no client is taken for one of
 * `OWN_PAGES` unless it says so to the letter.
 */
export function clientReader(): (headers: Pick<Headers, 'get'>) => string {
  const byName = new Map<string, string>();
  const byAgent = new Map<string, string>();
  return (headers) => {
    const given = headers.get('api-client') || headers.get('apollographql-client-name');
    if (given) return OWN_PAGES.has(given) ? given : remember(byName, given, toName);
    return remember(byAgent, headers.get('user-agent') ?? '', (agent) => toName(productOf(agent)));
  };
}

function remember(known: Map<string, string>, text: string, read: (text: string) => string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  const name = read(text);
  if (known.size === MAX_REMEMBERED) known.clear();
  if (text.length <= MAX_REMEMBERED_LENGTH) known.set(text, name);
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
