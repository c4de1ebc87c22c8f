/** Clients that tell nothing of themselves. */
const UNKNOWN = '(unknown)';
const LONGEST = 64;
const MOST_REMEMBERED = 1_000;

/**
 * Makes the reader of who a request comes from: the `API-Client` field, else `apollographql-client-name`, else the
 * product of `User-Agent` (RFC 9110, section 10.1.5), without its version. What it answers is harmless wherever it is
 * shown: at most 64 of letters, digits and `. _ @ / + -`; other characters become `-`.
 */
export function clientReader(): (headers: Pick<Headers, 'get'>) => string {
  const remembered = new Map<string, string>();
  return (headers) => {
    const given = headers.get('api-client') || headers.get('apollographql-client-name');
    const text = given || headers.get('user-agent') || '';
    const key = given ? `name ${text}` : `agent ${text}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const name = toName(given || (/^[^\s/(]*/.exec(text) as RegExpExecArray)[0]);
    if (remembered.size === MOST_REMEMBERED) remembered.clear();
    remembered.set(key, name);
    return name;
  };
}

function toName(text: string): string {
  const name = text
    .slice(0, 4 * LONGEST)
    .replaceAll(/[^\w.@/+-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, LONGEST);
  return name === '' ? UNKNOWN : name;
}
