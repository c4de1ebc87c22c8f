import { type ASTNode, GraphQLError, type GraphQLErrorOptions, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, errorTable, ServiceError, toServiceError } from '../errors.ts';

interface HttpExtension {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the GraphQL-over-HTTP specification lets `application/json` answer 200 all the same. */
  readonly spec?: boolean;
}

/** Codes of the server's own, and the ones that this service has for them. */
const OWN_CODES: Readonly<Record<string, ErrorCode>> = {
  BAD_REQUEST: 'INVALID_ARGUMENT',
  OPERATION_RESOLUTION_FAILURE: 'INVALID_ARGUMENT',
};

/** What graphql-js says when it gives up checking a document, and what is said of that here. */
const ABORTED = 'Validation aborted.';
const TOO_MUCH_WORK = 'The document takes too long to be checked; ask for less in one document.';

/** How much of a message about a document is told, in characters. */
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * The error that a GraphQL client gets for anything that was thrown: `code` and `status` in the extensions, as REST has them
 * in the body, and no cause.
 *
 * @param mayRead whether the caller may read what is stored
 */
export function toClientError(thrown: unknown, mayRead = false): GraphQLError {
  if (thrown instanceof RangeError)
    return rejected(new ServiceError('INVALID_ARGUMENT', 'The request is nested too deep.'));
  const isWrapped = thrown instanceof GraphQLError && !(thrown instanceof ServiceError);
  if (isWrapped && thrown.originalError === undefined) return ofTheLanguage(thrown);
  const failure = toServiceError(thrown, mayRead);
  if (!isWrapped) return rejected(failure);
  const { message, extensions } = failure;
  return inPlaceOf(thrown, message, { originalError: failure, extensions });
}

/**
 * A failure before anything was executed: its status is the response's.
 *
 * @param node what of the document it is about
 */
export function rejected(
  error: ServiceError,
  options: Pick<HttpExtension, 'spec'> = {},
  node: ASTNode | null = null,
): GraphQLError {
  const http: HttpExtension = { status: error.status, headers: error.headers, ...options };
  const extensions = { ...error.extensions, http };
  return new GraphQLError(error.message, { originalError: error, extensions, nodes: node });
}

/** A fault that the parser, a validation rule or the protocol has found. */
function ofTheLanguage(error: GraphQLError): GraphQLError {
  const { http, code } = (error.extensions ?? {}) as { http?: HttpExtension; code?: string };
  const known = code !== undefined && code in errorTable ? (code as ErrorCode) : OWN_CODES[code ?? ''];
  const ours = http?.status === 405 ? 'METHOD_NOT_ALLOWED' : (known ?? 'INVALID_ARGUMENT');
  const extensions = { code: ours, status: errorTable[ours].status, ...(http !== undefined && { http }) };
  const message = error.message === ABORTED ? TOO_MUCH_WORK : shorten(error.message);
  return inPlaceOf(error, message, { extensions });
}

/** A name in it may be as long as the document, and be in each of a hundred faults. */
function shorten(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
}

/** An error as it is answered: without what only this server needs to know of it. */
export function formatError(error: GraphQLError): GraphQLFormattedError {
  const { message, locations, path, extensions } = 'status' in (error.extensions ?? {}) ? error : toClientError(error);
  const { http, ...told } = extensions;
  return { message, ...(locations && { locations }), ...(path && { path }), extensions: told };
}

/** Another error with the lines and columns of this one: to work them out again would read the document to there again. */
function inPlaceOf({ path, locations }: GraphQLError, message: string, options: GraphQLErrorOptions): GraphQLError {
  return Object.assign(new GraphQLError(message, { ...options, path: path ?? null }), { locations });
}
