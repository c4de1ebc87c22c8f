import { ServiceError } from '../engine/errors.ts';

/** A failure for the operator, in one line. Unlike a client, the operator learns its cause. */
export function operatorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return error instanceof ServiceError && cause instanceof Error ? `${message} (${cause.message})` : message;
}
