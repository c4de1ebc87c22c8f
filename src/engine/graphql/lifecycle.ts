import { ServiceError } from '../errors.ts';
import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import { levelOf } from '../lifecycle/annotation.ts';
import { headersForUses } from '../lifecycle/headers.ts';
import type { PreparedOperation, Variables } from '../operation/prepared.ts';

/** The lifecycle information in a response: header fields and extensions. */
export interface LifecycleExtension {
  readonly headers: HeaderFields;
  /** The response's `extensions`, as JSON. Undefined for none. */
  readonly extensions: string | undefined;
}

const NONE: LifecycleExtension = { headers: [], extensions: undefined };

/**
 * The lifecycle information for an operation, about the annotated elements that it uses.
 *
 * @param base the absolute URL of the service
 * @param page the path of the page about deprecations and sunsets
 * @param extensions those of the request
 */
export function lifecycleExtension(
  { uses, usesBy }: Pick<PreparedOperation, 'uses' | 'usesBy'>,
  variables: Variables,
  base: string,
  page: string,
  extensions: unknown,
): LifecycleExtension {
  const byVariables = usesBy?.(variables) ?? [];
  const all = byVariables.length === 0 ? uses : [...uses, ...byVariables];
  if (all.length === 0) return NONE;
  return {
    // The successor has no URL of its own; the fragment is its schema coordinate.
    headers: headersForUses(all, (successor) => ({ page: base + page, successor: `${base}/graphql#${successor}` })),
    extensions: lifecycleIn(extensions) === false ? undefined : JSON.stringify({ lifecycle: all.map(describeUse) }),
  };
}

/**
 * Asserts that `extensions.lifecycle` of the request is a boolean or absent; false removes it from the response.
 *
 * @throws {ServiceError} INVALID_ARGUMENT
 */
export function assertExtensions(extensions: unknown): void {
  if (['boolean', 'undefined'].includes(typeof lifecycleIn(extensions))) return;
  throw new ServiceError(
    'INVALID_ARGUMENT',
    'extensions.lifecycle must be true, or false to leave it out of the answer.',
  );
}

function lifecycleIn(extensions: unknown): unknown {
  return typeof extensions === 'object' && extensions !== null && 'lifecycle' in extensions
    ? (extensions.lifecycle ?? null)
    : undefined;
}

function describeUse({ coordinate, annotations }: Annotated): object {
  const { stability, deprecation } = annotations;
  const level = levelOf(annotations);
  if (deprecation === undefined) return { coordinate, level };
  const { since, sunset, successor, why } = deprecation;
  const unstable = stability === 'stable' ? {} : { stability };
  return { coordinate, level, ...unstable, since, sunset, successor: successor.coordinate, why };
}
