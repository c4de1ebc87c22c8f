import { closestMatch } from 'leven';

/** Where else people look for what is here. */
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
/** What is longer was not mistyped, in characters. */
const TYPED = 100;
/** The part of a path that may be wrong. */
const WRONG_PART = 1 / 4;

/**
 * The path that somebody may have meant who asked for one that is not here: the same in lower case or without a slash at its
 * end, one under another name, one without its beginning, or one with some letters wrong.
 *
 * @param patterns every path that is here, with `{name}` for a variable
 * @returns the path with what was asked for in place of the variables; undefined where none is near
 */
export function nearestPath(asked: string, patterns: readonly string[]): string | undefined {
  if (asked.length > TYPED) return undefined;
  const segments = asked.split('/').filter(Boolean);
  const plain = pathOf(segments).toLowerCase();
  const other = OTHER_NAMES[plain];
  if (other !== undefined && patterns.includes(other)) return other;
  const filled = new Map(patterns.flatMap((pattern) => pairsOf(pattern, segments)));
  const nearest = closestMatch(plain, [...filled.keys()], { maxDistance: Math.ceil(plain.length * WRONG_PART) });
  return nearest === undefined ? undefined : filled.get(nearest);
}

/** The pattern with the segments in place of its variables: what is compared, and the path that it stands for. */
function pairsOf(pattern: string, segments: readonly string[]): [compared: string, path: string][] {
  const parts = pattern.split('/').filter(Boolean);
  const left = parts.length - segments.length;
  if (left < 0 || parts.slice(0, left).some((part) => part.startsWith('{'))) return [];
  const last = parts.slice(left);
  if (left > 0 && last.every((part) => part.startsWith('{'))) return [];
  const end = last.map((part, at) => (part.startsWith('{') ? (segments[at] as string) : part));
  const compared = pathOf(end).toLowerCase();
  // Without its beginning, the rest has to be what was asked for.
  if (left > 0 && (segments.length === 0 || compared !== pathOf(segments).toLowerCase())) return [];
  return [[compared, pathOf([...parts.slice(0, left), ...end])]];
}

function pathOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}
