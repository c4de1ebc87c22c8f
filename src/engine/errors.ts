import { GraphQLError } from 'graphql';

/** All errors of the engine by their codes; an application adds its own. */
export const errorTable = {
  MALFORMED_JSON: { status: 400, title: 'The body is not JSON' },
  INVALID_ARGUMENT: { status: 400, title: 'Invalid parameter, cursor or header field' },
  GRAPHQL_PARSE_FAILED: { status: 400, title: 'The GraphQL document cannot be parsed' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, title: 'The GraphQL document is invalid' },
  LIFECYCLE_STRICT: { status: 400, title: 'The request excludes what is deprecated or experimental' },
  UNAUTHENTICATED: { status: 401, title: 'Authentication is required' },
  FORBIDDEN: { status: 403, title: 'A scope is missing, or the origin is not allowed' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not have this method' },
  NOT_ACCEPTABLE: { status: 406, title: 'No acceptable media type' },
  IDEMPOTENCY_CONFLICT: { status: 409, title: 'The same request is in progress', isTemporary: true },
  CONFLICT: { status: 409, title: 'Conflicts with stored data' },
  GONE: { status: 410, title: 'Removed at its sunset, or no longer kept' },
  PRECONDITION_FAILED: { status: 412, title: 'Changed in the meantime' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  VALIDATION_FAILED: { status: 422, title: 'Invalid values' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The key was used for another request' },
  UNKNOWN_REFERENCE: { status: 422, title: 'A referenced row does not exist' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  INTERNAL: { status: 500, title: 'Internal error' },
  BROWNOUT: { status: 503, title: 'Brownout before a sunset' },
  UNAVAILABLE: { status: 503, title: 'Temporarily unavailable', isTemporary: true },
  TIMEOUT: { status: 504, title: 'Timed out', isTemporary: true },
} as const satisfies Record<string, Omit<ErrorKind, 'code'>>;

export type ErrorCode = keyof typeof errorTable;

/** An error that an application adds. */
export interface ErrorKind {
  /** The code for programs, such as `OUT_OF_PRINT`. */
  readonly code: string;
  readonly status: number;
  /** Its title in descriptions of the API. */
  readonly title: string;
  /** Whether a retry after a second may succeed: then it has `Retry-After`. */
  readonly isTemporary?: boolean;
}

export function errorKind(kind: ErrorCode | ErrorKind): ErrorKind {
  return typeof kind === 'string' ? { code: kind, ...errorTable[kind] } : kind;
}

/** A validation error: where it is (the keys from the outside in), and what is accepted there. */
export interface ValidationError {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface ServiceErrorOptions {
  readonly validationErrors?: readonly ValidationError[];
  /** The underlying error: for the log, never for the client. */
  readonly cause?: unknown;
  /** Response header fields of this error, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The message for a caller with permission to read, if it contains stored values. */
  readonly detailedMessage?: string | undefined;
}

/**
 * An error for the client. The message says what was wrong, where, and what is accepted, without stored values: a caller
 * may have permission to change but not to read. GraphQL's executors pass a `GraphQLError` on unchanged.
 */
export class ServiceError extends GraphQLError {
  readonly kind: ErrorCode | ErrorKind;
  readonly code: string;
  readonly status: number;
  readonly validationErrors: readonly ValidationError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly detailedMessage: string | undefined;
  override readonly cause: unknown;

  constructor(kind: ErrorCode | ErrorKind, message: string, options: ServiceErrorOptions = {}) {
    const { validationErrors = [], cause, headers = {}, detailedMessage } = options;
    const { code, status, isTemporary } = errorKind(kind);
    const errors = validationErrors.map((one) => ({ pointer: toPointer(one.path), message: one.message }));
    super(message, { extensions: { code, status, ...(errors.length > 0 && { errors }) } });
    this.kind = kind;
    this.code = code;
    this.status = status;
    this.validationErrors = validationErrors;
    this.headers = isTemporary ? { ...RETRY_SOON, ...headers } : headers;
    this.detailedMessage = detailedMessage;
    this.cause = cause;
  }

  /** Whether the message is only for callers with permission to read. */
  get revealsStoredData(): boolean {
    return this.message === this.detailedMessage;
  }
}

/** The header fields of an error that a retry after a second may avoid (RFC 9110, section 10.2.3). */
export const RETRY_SOON = { 'retry-after': '1' };

/** Whether a retry would fail again: an error that allows a retry has `Retry-After`, or a status from 500. */
export function isPermanent({ status, headers }: ServiceError): boolean {
  return status < 500 && headers['retry-after'] === undefined;
}

/** The maximum number of validation errors in a response; if there are more, it says so. */
export const MAX_VALIDATION_ERRORS = 20;

/**
 * The error for a body or variables with these validation errors, at least one; its message lists them.
 *
 * @param detailed the same for a caller with permission to read, if they contain stored values
 */
export function validationFailed(
  validationErrors: readonly ValidationError[],
  detailed?: readonly ValidationError[],
): ServiceError {
  return new ServiceError('VALIDATION_FAILED', listed(validationErrors), {
    validationErrors: validationErrors.slice(0, MAX_VALIDATION_ERRORS),
    detailedMessage: detailed && listed(detailed),
  });
}

function listed(errors: readonly ValidationError[]): string {
  const more = errors.length > MAX_VALIDATION_ERRORS ? ['There are more errors.'] : [];
  return [...errors.slice(0, MAX_VALIDATION_ERRORS).map(describeValidationError), ...more].join(' ');
}

/** The validation error as a sentence that begins with where it is. */
export function describeValidationError({ path, message }: ValidationError): string {
  return `${path.length === 0 ? 'The body' : path.map(nameOf).join('.')} ${message}.`;
}

/** The key, in quotes if it could be misread. */
function nameOf(key: string | number): string {
  return typeof key === 'number' || /^\w+$/.test(key) ? String(key) : JSON.stringify(key);
}

/** A JSON Pointer (RFC 6901) to the value that the keys lead to. */
function toPointer(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The error that a client gets for anything that was thrown: a `ServiceError`, maybe wrapped by GraphQL, or INTERNAL. */
export function toServiceError(thrown: unknown, mayRead = false): ServiceError {
  let error = thrown;
  while (error instanceof GraphQLError && !(error instanceof ServiceError)) error = error.originalError;
  if (error instanceof ServiceError) {
    return mayRead && error.detailedMessage !== undefined
      ? new ServiceError(error.kind, error.detailedMessage, error)
      : error;
  }
  return new ServiceError('INTERNAL', 'The service failed. Its log has the cause, under the request id.', {
    cause: thrown,
  });
}

/** The error of a request whose client has gone: the service has not failed. */
export function requestAborted(): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', 'The request was aborted.');
}
