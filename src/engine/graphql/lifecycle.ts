import { ServiceError } from '../errors.ts';
import type { HeaderFields } from '../http/reply.ts';
import { headersForUses } from '../lifecycle/headers.ts';
import { levelOf } from '../lifecycle/mark.ts';
import type { Marked } from '../lifecycle/marked.ts';
import type { PreparedOperation, Variables } from '../operation/prepared.ts';

/** What an answer tells of the marked things that its operation uses. */
export interface LifecycleNotice {
  readonly headers: HeaderFields;
  /** The answer's extensions with their `lifecycle`, as JSON: written once. Undefined for none. */
  readonly extensions: string | undefined;
}

/**
 * Makes the notices, once for each list of uses.
 *
 * @param page the path of the page about deprecations and sunsets
 * @returns takes the absolute address of the service, and the request's own extensions
 */
export function lifecycleNotices(page: string) {
  const made = new WeakMap<readonly Marked[], LifecycleNotice & { readonly base: string }>();
  return (
    { uses, usesBy }: Pick<PreparedOperation, 'uses' | 'usesBy'>,
    variables: Variables,
    base: string,
    extensions: unknown,
  ): LifecycleNotice => {
    const beside = usesBy?.(variables) ?? [];
    const notice = noticeOf(beside.length === 0 ? uses : [...uses, ...beside], base);
    return lifecycleIn(extensions) === false ? { ...notice, extensions: undefined } : notice;
  };

  function noticeOf(uses: readonly Marked[], base: string): LifecycleNotice {
    const before = made.get(uses);
    if (before?.base === base) return before;
    const notice = {
      base,
      headers: headersForUses(uses, (successor) => ({
        page: `${base}${page}`,
        // The successor has no address of its own; the fragment is its schema coordinate.
        successor: `${base}/graphql#${successor}`,
      })),
      extensions: uses.length === 0 ? undefined : JSON.stringify({ lifecycle: uses.map(describeUse) }),
    };
    made.set(uses, notice);
    return notice;
  }
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

function describeUse({ coordinate, marks }: Marked): object {
  const { stability, deprecation } = marks;
  const level = levelOf(marks);
  if (deprecation === undefined) return { coordinate, level };
  const { since, sunset, successor, why } = deprecation;
  const unstable = stability === 'stable' ? {} : { stability };
  return { coordinate, level, ...unstable, since, sunset, successor: successor.coordinate, why };
}
