import { STATUS_CODES } from 'node:http';
import { type ServiceError, toServiceError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { acceptsProblem } from '../http/negotiation.ts';
import type { HeaderFields, Outcome } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import type { CpuThrottle } from '../limits/cpu-throttle.ts';

/** The reason phrases of RFC 9110: Node has older ones. */
const PHRASES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
};

/** The reply to an error is the Error object, or problem details (RFC 9457) for a client that accepts them. */
export function errorReply(error: ServiceError, accept: string | null, headers: HeaderFields = []): Outcome {
  const { code, status, message } = error;
  const isProblem = acceptsProblem(accept);
  const body = isProblem
    ? { type: 'about:blank', title: PHRASES[status], status, detail: message, ...error.extensions }
    : { code, message, status };
  const type = ['vary', 'Accept', 'content-type', isProblem ? 'application/problem+json' : 'application/json'];
  const fields = [...headers, ...Object.entries(error.headers).flat(), ...type];
  return { reply: { status, headers: fields, body: stringifyJson(body) }, error };
}

/** The same when its caller has had few such replies in this turn of the event loop: for requests that cost nothing. */
export async function errorReplyInTurn(
  error: ServiceError,
  { meter, headers }: IncomingRequest,
  throttle: Pick<CpuThrottle, 'wait'>,
): Promise<Outcome> {
  const late = await meter.waitFor(throttle, 1)?.catch(toServiceError);
  return errorReply(late ?? error, headers.get('accept'));
}
