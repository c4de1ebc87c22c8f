import { type ExecutionResult, GraphQLError } from 'graphql';
import { type ErrorCode, errorTable, ServiceError, toServiceError } from '../errors.ts';
import { shorten } from '../text.ts';

/** What graphql-js says when it gives up an expensive validation, and what replaces it. */
const ABORTED = 'Validation aborted.';
const TOO_MUCH_WORK = 'The document takes too long to be checked; ask for less in one document.';

/** What V8 says, whose other range errors are mistakes in the code. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded';

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

/**
 * The error that a client gets for anything that was thrown: a `ServiceError`, or one that has it as `originalError`.
 * `mayRead` is whether the caller may read.
 */
export function toClientError(thrown: unknown, mayRead = false): GraphQLError {
  if (thrown instanceof RangeError && thrown.message === STACK_OVERFLOW)
    return new ServiceError('INVALID_ARGUMENT', 'The request is nested too deep.');
  if (!isWrapper(thrown)) return toServiceError(thrown, mayRead);
  // The compiler does not wrap the error of a value that does not fit its type. One with a path is of the execution.
  const isOfDocument = thrown.originalError === undefined && thrown.path === undefined;
  return inPlaceOf(thrown, isOfDocument ? documentError(thrown) : toServiceError(thrown, mayRead));
}

/** Whether it is an error of graphql-js or Yoga, which may wrap one of the service. */
export function isWrapper(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && !(error instanceof ServiceError);
}

/** Of an error of the parser or a validation rule, to which Yoga gives a code. */
function documentError({ message, extensions: { code } }: GraphQLError): ServiceError {
  const known = typeof code === 'string' && code in errorTable ? (code as ErrorCode) : 'INVALID_ARGUMENT';
  return new ServiceError(known, message === ABORTED ? TOO_MUCH_WORK : shorten(message, MAX_MESSAGE_LENGTH));
}

export function forCaller(result: ExecutionResult, mayRead: boolean): ExecutionResult {
  if (result.errors === undefined) return result;
  return { ...result, errors: result.errors.map((error) => toClientError(error, mayRead)) };
}

/** The error with the path and locations of another: computing locations takes a pass over the document. */
function inPlaceOf({ path, locations }: GraphQLError, error: ServiceError): GraphQLError {
  return Object.assign(new GraphQLError(error.message, { originalError: error, path: path ?? null }), { locations });
}
