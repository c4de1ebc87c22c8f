import {
  type ASTNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLErrorOptions,
  type GraphQLFormattedError,
} from 'graphql';
import { type ErrorCode, errorTable, ServiceError, toServiceError } from '../errors.ts';
import { shorten } from '../text.ts';

export interface HttpExtension {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether GraphQL over HTTP allows the status 200 for this error in `application/json`. */
  readonly spec?: boolean;
}

/** What graphql-js says when it gives up an expensive validation, and what replaces it. */
const ABORTED = 'Validation aborted.';
const TOO_MUCH_WORK = 'The document takes too long to be checked; ask for less in one document.';

/** In characters, of a message about a document: a name in it may be as long as the document. */
const MAX_MESSAGE_LENGTH = 1_000;

/** Records no stacks, which take most of the time of an error: clients cause errors at will. */
export function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The error that a client gets for anything that was thrown; `mayRead` is whether the caller may read. */
export function toClientError(thrown: unknown, mayRead = false): GraphQLError {
  if (thrown instanceof RangeError)
    return rejected(new ServiceError('INVALID_ARGUMENT', 'The request is nested too deep.'));
  const isWrapped = thrown instanceof GraphQLError && !(thrown instanceof ServiceError);
  // The compiler does not wrap the error of a value that does not fit its type. One with a path is of the execution.
  if (isWrapped && thrown.originalError === undefined && thrown.path === undefined) return protocolError(thrown);
  const failure = toServiceError(thrown, mayRead);
  if (!isWrapped) return rejected(failure);
  const { message, headers } = failure;
  const http: HttpExtension = { headers };
  return inPlaceOf(thrown, message, { originalError: failure, extensions: { ...failure.extensions, http } });
}

/** An error before the execution: the response gets its status. */
export function rejected(error: ServiceError, spec = false, nodes: ASTNode | null = null): GraphQLError {
  const http: HttpExtension = { status: error.status, headers: error.headers, spec };
  return new GraphQLError(error.message, { originalError: error, extensions: { ...error.extensions, http }, nodes });
}

/** An error of the parser, a validation rule or Yoga. */
function protocolError(error: GraphQLError): GraphQLError {
  const { http, code } = error.extensions as { http?: HttpExtension; code?: string };
  // Yoga has codes of its own, such as BAD_REQUEST.
  const known = code !== undefined && code in errorTable ? (code as ErrorCode) : 'INVALID_ARGUMENT';
  const ours = http?.status === 405 ? 'METHOD_NOT_ALLOWED' : known;
  const message = error.message === ABORTED ? TOO_MUCH_WORK : shorten(error.message, MAX_MESSAGE_LENGTH);
  const failure = new ServiceError(ours, message);
  return inPlaceOf(error, message, {
    originalError: failure,
    extensions: { ...failure.extensions, ...(http !== undefined && { http }) },
  });
}

export function forCaller(result: ExecutionResult, mayRead: boolean): ExecutionResult {
  if (result.errors === undefined) return result;
  return { ...result, errors: result.errors.map((error) => toClientError(error, mayRead)) };
}

/** Without the extensions that are only for the server. */
export function formatError({ message, locations, path, extensions }: GraphQLError): GraphQLFormattedError {
  const { http, ...others } = extensions;
  return { message, ...(locations && { locations }), ...(path && { path }), extensions: others };
}

/** Another error with the path and locations of this one: computing locations takes a pass over the document. */
function inPlaceOf({ path, locations }: GraphQLError, message: string, options: GraphQLErrorOptions): GraphQLError {
  return Object.assign(new GraphQLError(message, { ...options, path: path ?? null }), { locations });
}
