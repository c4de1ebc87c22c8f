import type { ServiceError } from '../errors.ts';
import type { Protocol } from '../metrics.ts';
import type { StreamBody } from './stream.ts';

/** Names in lower case and values alternating. A name that occurs twice has a list (RFC 9110, section 5.3). */
export type HeaderFields = readonly string[];

/** A response before it is sent. For HEAD it has the body of GET, which is not sent. */
export interface HttpReply {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: string | Uint8Array<ArrayBuffer> | StreamBody | null;
}

/** A reply, and the error that it reports, if any. */
export interface Outcome {
  readonly reply: HttpReply;
  readonly error?: ServiceError | undefined;
}

/** An outcome, with its labels for metrics, spans and the log. */
export interface Answered extends Outcome {
  readonly protocol: Protocol;
  /** The operation, or the path of a page or health check: a label of few values. */
  readonly operation: string;
  /** For an unknown path, the most similar path of the service, if there is one. */
  readonly nearest?: string | undefined;
}

export function labeled(protocol: Protocol, operation: string, { reply, error }: Outcome): Answered {
  return { protocol, operation, reply, error };
}

/** A response as it is sent, with a Content-Length field unless its body is a stream. */
export interface SentReply extends HttpReply {
  /** The encoding of a text body: pure ASCII is the same in Latin-1, which is faster to write. */
  readonly encoding: 'latin1' | 'utf8';
  /** The caller whose limit of unread bytes it counts against. */
  readonly caller: string;
}

/** The value of a field, the first one if it occurs twice. */
export function fieldOf(headers: HeaderFields, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) return headers[index + 1];
  }
  return undefined;
}

export function without(headers: HeaderFields, name: string): HeaderFields {
  return headers.filter((_, index) => headers[index - (index % 2)] !== name);
}

export function withType(reply: HttpReply, type: string): HttpReply {
  return { ...reply, headers: [...without(reply.headers, 'content-type'), 'content-type', type] };
}

/** The length of the body in bytes; undefined for no Content-Length (RFC 9110, section 8.6). */
export function contentLength({ status, body }: HttpReply): number | undefined {
  if (body === null) return status === 204 || status === 304 ? undefined : 0;
  return typeof body === 'function' ? undefined : Buffer.byteLength(body);
}
