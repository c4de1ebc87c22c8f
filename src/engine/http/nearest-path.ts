import { closestMatch } from 'leven';

/** Paths that clients try by habit, and what this service has instead. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  '/api-docs': '/reference',
  '/docs': '/reference',
  '/swagger': '/reference',
  '/swagger-ui': '/reference',
  '/graphiql': '/graphql',
  '/playground': '/graphql',
  '/health': '/readyz',
  '/healthz': '/readyz',
};
/** What other services have at the beginning of their paths. */
const FOREIGN = /^(api|rest|v\d+)$/i;
/** The maximum length of a path that gets a suggestion, in characters: a longer one was hardly typed by hand. */
const MAX_TYPED_LENGTH = 100;
/** The part of a path that may be mistyped. */
const WRONG_PART = 1 / 4;

/**
 * Suggests a path for one that doesn't exist: the same under another name or without a beginning such as `/api`, a path
 * that it is the end of, or one with a few different letters.
 *
 * @param patterns every path of the service, with `{name}` for a variable: it gets the requested segment
 */
export function nearestPath(requested: string, patterns: readonly string[]): string | undefined {
  if (requested.length > MAX_TYPED_LENGTH) return undefined;
  const segments = requested.split('/').filter(Boolean);
  const plain = pathOf(segments).toLowerCase();
  const other = OTHER_NAMES[plain];
  if (other !== undefined && patterns.includes(other)) return other;
  // Where the beginning exists, as in /books/1/pages, it is right.
  const [first = '', ...others] = segments;
  const known = patterns.filter((pattern) => pattern.split('/')[1] === first);
  if (known.length === 0 && FOREIGN.test(first)) return nearestPath(pathOf(others), patterns);
  const filled = new Map((known.length > 0 ? known : patterns).flatMap((pattern) => pairsOf(pattern, segments)));
  const nearest = closestMatch(plain, [...filled.keys()], { maxDistance: Math.ceil(plain.length * WRONG_PART) });
  return nearest === undefined ? undefined : filled.get(nearest);
}

/** The pattern with the segments in place of its variables: the text to compare, and the path to suggest for it. */
function pairsOf(pattern: string, segments: readonly string[]): [compared: string, path: string][] {
  const parts = pattern.split('/').filter(Boolean);
  const left = parts.length - segments.length;
  if (left < 0 || parts.slice(0, left).some((part) => part.startsWith('{'))) return [];
  const last = parts.slice(left);
  if (left > 0 && last.every((part) => part.startsWith('{'))) return [];
  const end = last.map((part, at) => (part.startsWith('{') ? (segments[at] as string) : part));
  const compared = pathOf(end).toLowerCase();
  // A path whose beginning is missing must otherwise match exactly.
  if (left > 0 && compared !== pathOf(segments).toLowerCase()) return [];
  return [[compared, pathOf([...parts.slice(0, left), ...end])]];
}

function pathOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}
