import type { ExecutionResult } from 'graphql';
import { type FetchAPI, processRegularResult } from 'graphql-yoga';
import { isPermanent, ServiceError } from '../errors.ts';
import type { HttpReply } from '../http/reply.ts';
import type { Outcome } from '../idempotency/run.ts';
import { stringifyJson } from '../json.ts';
import { MAX_ANSWER_BYTES } from '../operation/cost.ts';
import { formatError, toClientError } from './errors.ts';
import type { LifecycleExtension } from './lifecycle.ts';

/** Makes the answers to GraphQL requests (GraphQL over HTTP, section 6). */
type ToOutcome = (result: ExecutionResult, mediaType: string, extension: LifecycleExtension | undefined) => Outcome;

/** @param fetchAPI the server's: it chooses the status of an answer with errors */
export function createToOutcome(fetchAPI: FetchAPI): ToOutcome {
  const toOutcome: ToOutcome = (result, mediaType, extension) => {
    const outcome = { reply: toReply(result, mediaType, extension), error: gravestOf(result) };
    // What the greatest lengths cannot tell, such as of introspection, or of characters that are escaped.
    return isTooLong(outcome.reply) ? toOutcome({ errors: [toClientError(tooLong())] }, mediaType, undefined) : outcome;
  };
  return toOutcome;

  function toReply(result: ExecutionResult, mediaType: string, extension: LifecycleExtension | undefined): HttpReply {
    const headers = [...(extension?.headers ?? [])];
    if (result.errors === undefined) {
      headers.push('content-type', `${mediaType}; charset=utf-8`);
      return { status: 200, headers, body: write(result, extension) };
    }
    const { errors, data } = result;
    const response = processRegularResult({ ...result, stringify: () => '' } as ExecutionResult, fetchAPI, mediaType);
    response.headers.forEach((value, name) => {
      if (name.toLowerCase() !== 'content-length') headers.push(name.toLowerCase(), value);
    });
    const body = write({ errors: errors.map(formatError), data }, extension);
    return { status: response.status, headers, body };
  }
}

/** The gravest failure of a result. One that may be over soon comes before those that are for good: all of it may be tried again. */
function gravestOf({ errors = [] }: ExecutionResult): ServiceError | undefined {
  const failures = errors.flatMap(({ originalError }) =>
    originalError instanceof ServiceError ? [originalError] : [],
  );
  const [gravest] = failures.sort(
    (one, other) => Number(isPermanent(one)) - Number(isPermanent(other)) || other.status - one.status,
  );
  return gravest;
}

/** The result as JSON, with what it says of the lifecycle. */
function write(result: object, extension: LifecycleExtension | undefined): string {
  const text = stringifyJson(result);
  return extension?.extensions === undefined ? text : `${text.slice(0, -1)},"extensions":${extension.extensions}}`;
}

function isTooLong({ body }: HttpReply): boolean {
  return typeof body === 'string' && body.length > MAX_ANSWER_BYTES / 4 && Buffer.byteLength(body) > MAX_ANSWER_BYTES;
}

function tooLong(): ServiceError {
  return new ServiceError(
    'INVALID_ARGUMENT',
    `The answer has more than ${MAX_ANSWER_BYTES} bytes (8 MiB). Request less.`,
  );
}
