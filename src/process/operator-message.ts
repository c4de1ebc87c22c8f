import { DatabaseError } from '../engine/db/violations.ts';
import { ServiceError } from '../engine/errors.ts';

/** The SQLSTATE of a role that lacks a right. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** A failure for the operator, in one line. Unlike a client, the operator learns its cause. */
export function operatorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (error instanceof DatabaseError && error.state === INSUFFICIENT_PRIVILEGE)
    return `The database's role lacks a right (${message.replace(/\.$/, '')}); docs/deploying.md says which rights it needs.`;
  return error instanceof ServiceError && cause instanceof Error ? `${message} (${cause.message})` : message;
}
