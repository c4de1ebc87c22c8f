import type { ExecutionResult } from 'graphql';
import { type FetchAPI, processRegularResult } from 'graphql-yoga';
import { isPermanent, ServiceError } from '../errors.ts';
import type { HttpReply, Outcome } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import { MAX_ANSWER_BYTES } from '../operation/cost.ts';
import { formatError, toClientError, withoutStacks } from './errors.ts';
import type { LifecycleExtension } from './lifecycle.ts';

/** Responses of GraphQL over HTTP, section 6. Yoga, whose `fetchAPI` it is, chooses the status if there are errors. */
export function createToOutcome(fetchAPI: FetchAPI) {
  return function toOutcome(result: ExecutionResult, mediaType: string, extension?: LifecycleExtension): Outcome {
    const outcome = { reply: toReply(result, mediaType, extension), error: mostSevere(result) };
    // The cost check cannot know all lengths in advance, such as those of introspection and of escaped characters.
    return isTooLong(outcome.reply) ? toOutcome({ errors: [toClientError(tooLong())] }, mediaType) : outcome;
  };

  function toReply(result: ExecutionResult, mediaType: string, extension: LifecycleExtension | undefined): HttpReply {
    const headers = [...(extension?.headers ?? [])];
    const { errors, data } = result;
    if (errors === undefined) {
      headers.push('content-type', `${mediaType}; charset=utf-8`);
      return { status: 200, headers, body: serialize(result, extension) };
    }
    const [response, formatted] = withoutStacks(() => [
      processRegularResult({ ...result, stringify: () => '' } as ExecutionResult, fetchAPI, mediaType),
      errors.map(formatError),
    ]);
    response.headers.forEach((value, name) => {
      if (name.toLowerCase() !== 'content-length') headers.push(name.toLowerCase(), value);
    });
    const body = serialize({ errors: formatted, data }, extension);
    return { status: response.status, headers, body };
  }
}

/** A temporary one comes first, because the whole request may then be retried. */
function mostSevere({ errors = [] }: ExecutionResult): ServiceError | undefined {
  const failures = errors.flatMap(({ originalError }) =>
    originalError instanceof ServiceError ? [originalError] : [],
  );
  const [first] = failures.sort(
    (one, other) => Number(isPermanent(one)) - Number(isPermanent(other)) || other.status - one.status,
  );
  return first;
}

/** The response as JSON, with the lifecycle information in its `extensions`. */
export function serialize(result: object, extension: LifecycleExtension | undefined): string {
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
