import { STATUS_CODES } from 'node:http';
import type { ServiceError } from '../errors.ts';
import { acceptsProblem } from '../http/negotiation.ts';
import type { HeaderFields, HttpReply } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';

/** The reason phrases of RFC 9110: Node has older ones. */
const PHRASES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
};

/**
 * The response for an error: the Error object, or problem details (RFC 9457) for a client that accepts them.
 *
 * @param headers further header fields beside those of the error
 */
export function errorReply(error: ServiceError, accept: string | null, headers: HeaderFields = []): HttpReply {
  const { code, status, message } = error;
  const isProblem = acceptsProblem(accept);
  const body = isProblem
    ? { type: 'about:blank', title: PHRASES[status], status, detail: message, ...error.extensions }
    : { code, message, status };
  return {
    status,
    headers: [
      ...headers,
      ...Object.entries(error.headers).flat(),
      'vary',
      'Accept',
      'content-type',
      isProblem ? 'application/problem+json' : 'application/json',
    ],
    body: stringifyJson(body),
  };
}
