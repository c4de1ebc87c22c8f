import type { ExecutionResult } from 'graphql';
import type { Caller } from '../auth/access.ts';
import { type ErrorCode, ServiceError, validationFailed } from '../errors.ts';
import { type Admit, wantsStrict } from '../lifecycle/admit.ts';
import { byCoordinate } from '../lifecycle/guard.ts';
import type { Entrance } from '../limits/entrance.ts';
import { refused } from './errors.ts';
import { type LifecycleNotice, lifecycleNotices, wantsExtension } from './lifecycle.ts';
import type { KnownOperation } from './operations.ts';
import type { GraphQLRequest } from './params.ts';

/** What a request asks of an operation. */
export interface Asked {
  readonly caller: Caller;
  readonly request: GraphQLRequest;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The request's own extensions. */
  readonly extensions: unknown;
}

/**
 * Refuses what the caller may not do, asks for too much, must not be answered for its marks, or is wrong in the variables
 * or the arguments (all faults of either at once): before anything runs.
 *
 * @param notify told what the answer has to tell of marks, a refusal too
 * @returns the answer that refuses; undefined for an operation that may run
 */
export type Refuse = (
  operation: KnownOperation,
  asked: Asked,
  notify: (notice: LifecycleNotice) => void,
) => ExecutionResult | undefined;

/** Who must not come in, or not now, is told so by the status, whatever he accepts. */
const TOLD_BY_STATUS: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED']);

/** @param page the path of the page about deprecations and sunsets */
export function createRefuse(entrance: Pick<Entrance, 'authorize' | 'charge'>, admit: Admit, page: string): Refuse {
  const noticeOf = lifecycleNotices(page);
  return (operation, asked, notify) => {
    try {
      assertMayRun(operation, asked, notify);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { errors: [refused(error, { spec: !TOLD_BY_STATUS.has(error.code) })] };
    }
    const faults = operation.faults(asked.variables);
    if (faults.length === 0) return undefined;
    return { errors: faults.map(({ failure, node }) => refused(failure, { spec: true }, node)) };
  };

  function assertMayRun(
    operation: KnownOperation,
    { caller, request, variables, extensions }: Asked,
    notify: (notice: LifecycleNotice) => void,
  ): void {
    const { headers, base } = request;
    entrance.authorize(caller, operation.scopes);
    const { units, bytes } = operation.cost(variables);
    entrance.charge(request, units);
    request.bytes = bytes;
    const uses = operation.uses(variables);
    const notice = noticeOf(uses, base);
    notify(notice);
    if (!wantsExtension(extensions)) notify({ ...notice, extensions: undefined });
    admit(uses, { headers, isStrict: wantsStrict(headers) }, byCoordinate);
    const issues = operation.issues(variables);
    if (issues.length > 0) throw validationFailed(issues);
  }
}
