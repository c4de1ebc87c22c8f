import type { ExecutionResult } from 'graphql';
import { isPermanent, ServiceError } from '../errors.ts';
import type { HttpReply, Outcome } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import { MAX_RESPONSE_BYTES } from '../operation/cost.ts';
import { serviceErrorOf } from './errors.ts';
import type { LifecycleExtension } from './lifecycle.ts';

/**
 * The response to a GraphQL request (GraphQL over HTTP, section 6). Errors of the request have their own status, those
 * of the document only in `application/graphql-response+json`, and those of the execution have 200.
 *
 * @throws {ServiceError} INVALID_ARGUMENT for one that is too long, so that a change with an `Idempotency-Key` is undone
 */
export function toOutcome(
  result: ExecutionResult,
  mediaType: string,
  extension?: LifecycleExtension,
  errorsOf: 'request' | 'document' | 'execution' = 'execution',
): Outcome {
  const hasStatus = errorsOf === 'request' || (errorsOf === 'document' && mediaType !== 'application/json');
  const outcome = { reply: toReply(result, mediaType, extension, hasStatus), error: mostSevere(result) };
  // The cost check cannot know all lengths in advance, such as those of introspection and of escaped characters.
  if (isTooLong(outcome.reply)) throw tooLong();
  return outcome;
}

function toReply(
  result: ExecutionResult,
  mediaType: string,
  extension: LifecycleExtension | undefined,
  hasStatus: boolean,
): HttpReply {
  const { errors, data } = result;
  const headers = [...(extension?.headers ?? []), 'vary', 'Accept', 'content-type', `${mediaType}; charset=utf-8`];
  if (errors === undefined) return { status: 200, headers, body: serialize(result, extension) };
  const failures = errors.map(serviceErrorOf);
  const fields = new Map(failures.flatMap((failure) => Object.entries(failure.headers)));
  const status = hasStatus ? Math.max(...failures.map((failure) => failure.status)) : 200;
  return { status, headers: [...headers, ...[...fields].flat()], body: serialize({ errors, data }, extension) };
}

/** A temporary one comes first, because the whole request may then be retried. */
export function mostSevere({ errors = [] }: ExecutionResult): ServiceError | undefined {
  const [first] = errors
    .map(serviceErrorOf)
    .sort((one, other) => Number(isPermanent(one)) - Number(isPermanent(other)) || other.status - one.status);
  return first;
}

/** The response as JSON, with the lifecycle information in its `extensions`. */
export function serialize(result: object, extension: LifecycleExtension | undefined): string {
  const text = stringifyJson(result);
  return extension?.extensions === undefined ? text : `${text.slice(0, -1)},"extensions":${extension.extensions}}`;
}

function isTooLong({ body }: HttpReply): boolean {
  return (
    typeof body === 'string' && body.length > MAX_RESPONSE_BYTES / 4 && Buffer.byteLength(body) > MAX_RESPONSE_BYTES
  );
}

function tooLong(): ServiceError {
  return new ServiceError(
    'INVALID_ARGUMENT',
    `The response has more than ${MAX_RESPONSE_BYTES} bytes (8 MiB). Request less.`,
  );
}
