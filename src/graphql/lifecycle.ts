import { ServiceError } from '../errors.ts';
import type { HeaderFields } from '../http/reply.ts';
import { headersForUses } from '../lifecycle/headers.ts';
import { levelOf } from '../lifecycle/mark.ts';
import type { Marked } from '../lifecycle/marked.ts';

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
 * @returns takes the absolute address of the service
 */
export function lifecycleNotices(page: string): (uses: readonly Marked[], base: string) => LifecycleNotice {
  const made = new WeakMap<readonly Marked[], LifecycleNotice & { readonly base: string }>();
  return (uses, base) => {
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
  };
}

/**
 * Whether the client wants `extensions.lifecycle` in the answer: not when its own request extensions say
 * `{"lifecycle": false}`.
 *
 * @throws {ServiceError} INVALID_ARGUMENT when they say anything but true and false
 */
export function wantsExtension(extensions: unknown): boolean {
  if (typeof extensions !== 'object' || extensions === null || !('lifecycle' in extensions)) return true;
  const { lifecycle } = extensions;
  if (typeof lifecycle === 'boolean') return lifecycle;
  throw new ServiceError(
    'INVALID_ARGUMENT',
    'extensions.lifecycle must be true, or false to leave it out of the answer.',
  );
}

function describeUse({ coordinate, marks }: Marked): object {
  const { stability, deprecation } = marks;
  const level = levelOf(marks);
  if (deprecation === undefined) return { coordinate, level };
  const { since, sunset, successor, why } = deprecation;
  const unstable = stability === 'stable' ? {} : { stability };
  return { coordinate, level, ...unstable, since, sunset, successor: successor.coordinate, why };
}
