import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Origin } from '../limits/account.ts';
import type { Meter } from '../limits/meter.ts';
import type { RequestSpan, TracedRequest } from '../tracing/span.ts';
import type { BodyReader } from './body.ts';
import type { RequestHeaders } from './headers.ts';

/** A request as it arrives, over a socket or without one. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, percent-encoded (the origin form of RFC 9112, section 3.2.1). */
  readonly target: string;
  /** What it names as the host it is for. */
  readonly host: string;
  readonly headers: RequestHeaders;
  readonly readBody: BodyReader;
  /** Whether the client has gone, so that nobody sees the answer. */
  isCutOff(): boolean;
  /** The address that the connection comes from; empty without a connection. */
  remote(): string;
}

/** A request, with what is worked out once for it. */
export interface IncomingRequest {
  readonly method: string;
  /** Without the base path, still percent-encoded; undefined when it is not under the base path. */
  readonly path: string | undefined;
  /** With the base path. */
  readonly fullPath: string;
  /** What follows the question mark; empty for nothing. */
  readonly search: string;
  readonly headers: RequestHeaders;
  readonly readBody: BodyReader;
  /** The client's own id for the request where it gave a usable one, otherwise a new one. */
  readonly id: string;
  /** The service's own origin, as the client knows it. */
  readonly origin: string;
  /** The service's absolute address: its origin and the base path. */
  readonly base: string;
  readonly meter: Meter;
  /** Its span; undefined where it is not traced. */
  readonly span: RequestSpan | undefined;
  /** Why it cannot be answered at all. */
  readonly fault: ServiceError | undefined;
  /** The absolute address of a path of the service. */
  address(path: string): string;
}

const USABLE_ID = /^[\w.:@/+=-]{1,128}$/;
const USABLE_HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

/** Where the service is, for its clients. */
interface PublicAddress {
  /** What every path begins with, such as `/v1`; may be empty. */
  readonly basePath: string;
  /** Its origin; undefined where that is whatever host a request names. */
  readonly publicUrl: string | undefined;
}

/** What is made for each request. */
interface RequestParts {
  meterFor(origin: Origin): Meter;
  spanFor(request: TracedRequest): RequestSpan | undefined;
}

/** Reads what all protocols need of a request: its path under the base path, its id, and the service's origin. */
export function readRequest(
  { method, target, host, headers, readBody, remote }: RawRequest,
  { basePath, publicUrl }: PublicAddress,
  { meterFor, spanFor }: RequestParts,
): IncomingRequest {
  const queryStart = target.indexOf('?');
  const fullPath = queryStart === -1 ? target : target.slice(0, queryStart);
  const clientId = headers.get('x-request-id');
  const hostIsUsable = USABLE_HOST.test(host);
  const origin = publicUrl ?? (hostIsUsable ? `http://${host}` : '');
  const base = origin + basePath;
  return {
    method,
    path: fullPath.startsWith(basePath) ? pathUnder(fullPath.slice(basePath.length)) : undefined,
    fullPath,
    search: queryStart === -1 ? '' : target.slice(queryStart + 1),
    headers,
    readBody,
    id: clientId !== null && USABLE_ID.test(clientId) ? clientId : randomUUID(),
    origin,
    base,
    meter: meterFor({ headers, remote }),
    span: spanFor({ method, fullPath, origin, headers }),
    fault: hostIsUsable ? undefined : new ServiceError('INVALID_ARGUMENT', 'The Host field is not a valid host.'),
    address: (path) => base + path,
  };
}

function pathUnder(rest: string): string | undefined {
  return rest === '' ? '/' : rest.startsWith('/') ? rest : undefined;
}
