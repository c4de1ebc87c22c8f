import { ServiceError } from '../errors.ts';
import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import { levelOf } from '../lifecycle/annotation.ts';
import { headersForUses } from '../lifecycle/headers.ts';
import type { PreparedOperation, Variables } from '../operation/prepared.ts';

/** What an answer tells of the marked things that its operation uses. */
export interface LifecycleExtension {
  readonly headers: HeaderFields;
  /** The answer's extensions with their `lifecycle`, as JSON. Undefined for none. */
  readonly extensions: string | undefined;
}

const NO_NOTICE: LifecycleExtension = { headers: [], extensions: undefined };

/**
 * The notice for an operation. Most operations use nothing that has annotations, so nothing is kept for the others.
 *
 * @param base the absolute address of the service
 * @param page the path of the page about deprecations and sunsets
 * @param extensions the request's own
 */
export function lifecycleExtension(
  { uses, usesBy }: Pick<PreparedOperation, 'uses' | 'usesBy'>,
  variables: Variables,
  base: string,
  page: string,
  extensions: unknown,
): LifecycleExtension {
  const beside = usesBy?.(variables) ?? [];
  const all = beside.length === 0 ? uses : [...uses, ...beside];
  if (all.length === 0) return NO_NOTICE;
  return {
    // The successor has no address of its own; the fragment is its schema coordinate.
    headers: headersForUses(all, (successor) => ({ page: base + page, successor: `${base}/graphql#${successor}` })),
    extensions: lifecycleIn(extensions) === false ? undefined : JSON.stringify({ lifecycle: all.map(describeUse) }),
  };
}

/**
 * Asserts that the request's own extensions say true or false to `extensions.lifecycle` in the answer, if anything.
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
