import type { ExecutionResult } from 'graphql';
import { isPermanent, ServiceError, toServiceError } from '../errors.ts';
import type { Outcome } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import { MAX_RESPONSE_BYTES } from '../operation/cost.ts';
import { type LifecycleExtension, NO_LIFECYCLE } from './lifecycle.ts';

/**
 * The response to a GraphQL request (GraphQL over HTTP, section 6). Errors of the request have their own status, those
 * of the document only in `application/graphql-response+json`, and those of the execution have 200.
 *
 * @throws {ServiceError} INVALID_ARGUMENT for one that is too long, so that a change with an `Idempotency-Key` is undone
 */
export function toOutcome(
  result: ExecutionResult,
  mediaType: string,
  lifecycle = NO_LIFECYCLE,
  errorsOf: 'request' | 'document' | 'execution' = 'execution',
): Outcome {
  const body = serialize(result, lifecycle);
  assertShort(body);
  const headers = [...lifecycle.headers, 'vary', 'Accept', 'content-type', `${mediaType}; charset=utf-8`];
  if (result.errors === undefined) return { reply: { status: 200, headers, body }, error: undefined };
  const failures = result.errors.map((error) => toServiceError(error));
  const fields = new Map(failures.flatMap((failure) => Object.entries(failure.headers)));
  const hasStatus = errorsOf === 'request' || (errorsOf === 'document' && mediaType !== 'application/json');
  const status = hasStatus ? Math.max(...failures.map((failure) => failure.status)) : 200;
  return { reply: { status, headers: [...headers, ...[...fields].flat()], body }, error: mostSevere(result) };
}

/** A temporary one comes first, because the whole request may then be retried. */
export function mostSevere({ errors = [] }: ExecutionResult): ServiceError | undefined {
  const [first] = errors
    .map((error) => toServiceError(error))
    .sort((one, other) => Number(isPermanent(one)) - Number(isPermanent(other)) || other.status - one.status);
  return first;
}

/** The response as JSON, with the lifecycle information in its `extensions`. */
export function serialize({ errors, data }: ExecutionResult, { extensions }: LifecycleExtension): string {
  const text = stringifyJson({ errors, data });
  return extensions === undefined ? text : `${text.slice(0, -1)},"extensions":${extensions}}`;
}

/** The cost check cannot know all lengths in advance, such as those of introspection and of escaped characters. */
function assertShort(text: string): void {
  if (text.length <= MAX_RESPONSE_BYTES / 4 || Buffer.byteLength(text) <= MAX_RESPONSE_BYTES) return;
  throw new ServiceError(
    'INVALID_ARGUMENT',
    `The response has more than ${MAX_RESPONSE_BYTES} bytes (8 MiB). Request less.`,
  );
}
