import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import { levelOf } from '../lifecycle/annotation.ts';
import { LIFECYCLE_PAGE, lifecycleHeaders, lifecycleLink } from '../lifecycle/headers.ts';
import type { PreparedOperation, Variables } from '../operation/prepared.ts';
import type { GraphQLParams } from './params.ts';

/** The lifecycle information in a response: header fields and extensions. */
export interface LifecycleExtension {
  readonly headers: HeaderFields;
  /** The response's `extensions`, as JSON. Undefined for none. */
  readonly extensions: string | undefined;
}

/** How many are cached: for one base, an operation has one for each set of annotated elements that it uses. */
const MAX_CACHED = 200;
/** The length of the base and the coordinates together, in characters. */
const MAX_CACHED_KEY_LENGTH = 1_000;

const NONE: LifecycleExtension = { headers: [], extensions: undefined };

/**
 * Makes the function that gives the lifecycle information for an operation, about the annotated elements that it uses.
 *
 * @returns takes the absolute URL of the service, and the request's own extensions
 */
export function lifecycleExtensions() {
  const cache = new LRUCache<string, LifecycleExtension>({ max: MAX_CACHED });

  return (
    { uses, usesBy }: Pick<PreparedOperation, 'uses' | 'usesBy'>,
    variables: Variables,
    base: string,
    extensions: GraphQLParams['extensions'],
  ): LifecycleExtension => {
    const byVariables = usesBy?.(variables) ?? [];
    const all = byVariables.length === 0 ? uses : [...uses, ...byVariables];
    if (all.length === 0) return NONE;
    const extension = cached(all, base);
    return extensions?.lifecycle === false ? { ...extension, extensions: undefined } : extension;
  };

  function cached(uses: readonly Annotated[], base: string): LifecycleExtension {
    let key = base;
    for (const { coordinate } of uses) key += ` ${coordinate}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const extension = {
      headers: headersFor(uses, base),
      extensions: JSON.stringify({ lifecycle: uses.map(describeUse) }),
    };
    // A base comes from the Host field, and may be long.
    if (key.length <= MAX_CACHED_KEY_LENGTH) cache.set(key, extension);
    return extension;
  }
}

/**
 * Asserts that `extensions.lifecycle` of the request is a boolean or absent; false removes it from the response.
 *
 * @throws {ServiceError} INVALID_ARGUMENT
 */
export function assertExtensions(extensions: GraphQLParams['extensions']): void {
  if (['boolean', 'undefined'].includes(typeof extensions?.lifecycle)) return;
  throw new ServiceError(
    'INVALID_ARGUMENT',
    'extensions.lifecycle must be true, or false to leave it out of the answer.',
  );
}

/** The header fields for several annotated elements: those of the most severe one. */
function headersFor(uses: readonly Annotated[], base: string): HeaderFields {
  const { coordinate, annotations } = uses.reduce((one, other) => (severity(other) < severity(one) ? other : one));
  const headers = lifecycleHeaders(annotations, coordinate);
  const { deprecation } = annotations;
  if (deprecation === undefined) return headers;
  // The successor has no URL of its own; the fragment is its schema coordinate.
  const link = lifecycleLink(base + LIFECYCLE_PAGE, `${base}/graphql#${deprecation.successor.coordinate}`);
  return [...headers, 'link', link];
}

/** Sorts deprecated elements first, by their sunset; then experimental ones. */
function severity({ annotations: { deprecation, stability } }: Annotated): string {
  return deprecation?.sunset ?? (stability === 'experimental' ? '~' : '~~');
}

function describeUse({ coordinate, annotations }: Annotated): object {
  const { stability, deprecation } = annotations;
  const level = levelOf(annotations);
  if (deprecation === undefined) return { coordinate, level };
  const { since, sunset, successor, why } = deprecation;
  const unstable = stability === 'stable' ? {} : { stability };
  return { coordinate, level, ...unstable, since, sunset, successor: successor.coordinate, why };
}
