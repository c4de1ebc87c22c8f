import { ServiceError } from '../errors.ts';

/** A place in the feed: after the event with this position. */
export interface FeedCursor {
  /** Raised by an operator when positions are used again, after restoring a backup. */
  readonly epoch: number;
  readonly position: number;
}

/** The place after the last event of the moment. */
export const NOW = 'now';

const CURSOR = /^(\d{1,9})\.(\d{1,15})$/;

/** The id of the event at a place, such as `1.204`; as a cursor, it is the place after the event. */
export function toEventId({ epoch, position }: FeedCursor): string {
  return `${epoch}.${position}`;
}

/** @throws {ServiceError} INVALID_ARGUMENT that names the parameter or field */
export function readEventId(text: string, name: string): FeedCursor {
  const [, epoch, position] = CURSOR.exec(text) ?? [];
  if (epoch !== undefined && position !== undefined) return { epoch: Number(epoch), position: Number(position) };
  throw new ServiceError('INVALID_ARGUMENT', `${name} must be the id of an event, such as 1.204, or ${NOW}.`);
}
