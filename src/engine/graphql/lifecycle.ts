import { ServiceError } from '../errors.ts';
import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import { levelOf } from '../lifecycle/annotation.ts';
import { LIFECYCLE_PAGE, lifecycleHeaders, lifecycleLink } from '../lifecycle/headers.ts';
import type { OperationUses, Variables } from '../operation/prepared.ts';
import type { GraphQLParams } from './params.ts';

/** The lifecycle information in a response. */
export interface LifecycleExtension {
  readonly headers: HeaderFields;
  /** As JSON. */
  readonly extensions: string | undefined;
}

export const NO_LIFECYCLE: LifecycleExtension = { headers: [], extensions: undefined };

/** Makes the function that gives the lifecycle information about the annotated elements that an operation uses. */
export function lifecycleExtensions() {
  /** The parts for each element that do not depend on the request. */
  const known = new Map<Annotated, { readonly headers: HeaderFields; readonly json: string }>();

  /** @param base the absolute URL of the service */
  return (
    { always, given }: OperationUses,
    variables: Variables,
    base: string,
    extensions: GraphQLParams['extensions'],
  ): LifecycleExtension => {
    const all = [...always, ...given(variables)];
    if (all.length === 0) return NO_LIFECYCLE;
    const severest = all.reduce((one, other) => (severity(other) < severity(one) ? other : one));
    const items = all.map((use) => partOf(use).json);
    const json = extensions?.lifecycle === false ? undefined : `{"lifecycle":[${items.join()}]}`;
    const { headers } = partOf(severest);
    const { deprecation } = severest.annotations;
    if (deprecation === undefined) return { headers, extensions: json };
    // The successor has no URL of its own; the fragment is its schema coordinate.
    const link = lifecycleLink(base + LIFECYCLE_PAGE, `${base}/graphql#${deprecation.successor.coordinate}`);
    return { headers: [...headers, 'link', link], extensions: json };
  };

  function partOf(use: Annotated) {
    const part = known.get(use);
    if (part !== undefined) return part;
    const { coordinate, annotations } = use;
    const made = { headers: lifecycleHeaders(annotations, coordinate), json: JSON.stringify(describeUse(use)) };
    known.set(use, made);
    return made;
  }
}

/** @throws {ServiceError} INVALID_ARGUMENT */
export function assertExtensions(extensions: GraphQLParams['extensions']): void {
  if (['boolean', 'undefined'].includes(typeof extensions?.lifecycle)) return;
  throw new ServiceError(
    'INVALID_ARGUMENT',
    'extensions.lifecycle must be true, or false to leave it out of the response.',
  );
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
