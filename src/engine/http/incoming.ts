import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Meter } from '../limits/meter.ts';
import type { RequestSpan, TracedRequest } from '../tracing/span.ts';
import type { RequestHeaders } from './headers.ts';

/** A request as it arrives, over a socket or without one. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, percent-encoded (the origin form of RFC 9112, section 3.2.1). */
  readonly target: string;
  /** The host that the request is for, by its target or `Host` field. */
  readonly host: string;
  readonly headers: RequestHeaders;
  /** Undefined for more bytes than the limit. Rejects if incomplete, or if too many are in memory for the caller. */
  readonly readBody: (limit: number, caller: string) => Promise<Buffer | undefined>;
  /** Whether its client has gone. */
  readonly isAborted: () => boolean;
  /** The address of the connection's other end; empty without a connection. */
  readonly remote: () => string;
}

/** A request, with what is derived from it once. */
export interface IncomingRequest extends Pick<RawRequest, 'method' | 'headers' | 'readBody' | 'isAborted'> {
  /** Without the base path, still percent-encoded where that is needed; empty if it is not under the base path. */
  readonly path: string;
  readonly fullPath: string;
  /** The query without its question mark. */
  readonly search: string;
  readonly id: string;
  /** The service's own origin, as the client knows it. */
  readonly origin: string;
  /** The service's absolute URL: its origin and the base path. */
  readonly base: string;
  readonly meter: Meter;
  /** Undefined if the request is not traced. */
  readonly span: RequestSpan | undefined;
  /** The error of a request that can't be answered, such as one with an invalid host. */
  readonly error: ServiceError | undefined;
}

const USABLE_ID = /^[\w.:@/+=-]{1,128}$/;
const USABLE_HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{0,5})?$/;

/** Letters, digits and `-._~`. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

export interface RequestDefaults {
  readonly basePath: string;
  readonly publicUrl: string | undefined;
  meterFor(headers: RequestHeaders, remote: RawRequest['remote'], isAborted: RawRequest['isAborted']): Meter;
  spanFor(request: TracedRequest): RequestSpan | undefined;
}

export function readRequest(
  { method, target, host, headers, readBody, isAborted, remote }: RawRequest,
  { basePath, publicUrl, meterFor, spanFor }: RequestDefaults,
): IncomingRequest {
  const queryStart = target.indexOf('?');
  const fullPath = queryStart === -1 ? target : target.slice(0, queryStart);
  const path = normalizePath(fullPath);
  const clientId = headers.get('x-request-id');
  const hostIsUsable = USABLE_HOST.test(host);
  const origin = publicUrl ?? (hostIsUsable ? `http://${host}` : '');
  return {
    method,
    path: path.startsWith(basePath) ? pathBelow(path.slice(basePath.length)) : '',
    fullPath,
    search: queryStart === -1 ? '' : target.slice(queryStart + 1),
    headers,
    readBody,
    isAborted,
    id: clientId !== null && USABLE_ID.test(clientId) ? clientId : randomUUID(),
    origin,
    base: origin + basePath,
    meter: meterFor(headers, remote, isAborted),
    span: spanFor({ method, fullPath, origin, headers }),
    error: hostIsUsable ? undefined : new ServiceError('INVALID_ARGUMENT', 'The Host field is not a valid host.'),
  };
}

/** Longer than the path of any resource, in characters. */
const MAX_PATH = 1_000;

/** The path without needless percent-encoding, which makes no other path (RFC 3986, section 6.2.2.2). */
function normalizePath(path: string): string {
  return path.length <= MAX_PATH && path.includes('%') ? path.replace(ENCODED_UNRESERVED, decodeURIComponent) : path;
}

function pathBelow(rest: string): string {
  return rest === '' ? '/' : rest.startsWith('/') ? rest : '';
}
