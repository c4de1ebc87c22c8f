import { ServiceError } from '../errors.ts';
import type { RequestHeaders } from '../http/headers.ts';
import { type Bounds, cursor } from '../schema/bounds.ts';

/** Where a reader of the feed is: after the event with this position. */
export interface FeedCursor {
  /** Raised when events are switched on again, and by operators after restoring a backup, when positions are reused. */
  readonly epoch: number;
  readonly position: number;
}

/** The cursor after the event that is the last when the request is read. */
export const NOW = 'now';

const CURSOR = /^(\d{1,9})\.(\d{1,15})$/;
const A_CURSOR = `must be the id of an event, such as 1.204, or ${NOW}`;

/** For an argument whose form is checked before anything is changed. */
export const eventId: Bounds = {
  ...cursor,
  jsonSchema: { example: '1.204' },
  check: (value) => (value === NOW || CURSOR.test(String(value)) ? undefined : A_CURSOR),
};

/** The id of the event at a cursor, such as `1.204`. */
export function toEventId({ epoch, position }: FeedCursor): string {
  return `${epoch}.${position}`;
}

/** @throws {ServiceError} INVALID_ARGUMENT that names the parameter or field */
export function readEventId(text: string, name: string): FeedCursor {
  const [, epoch, position] = CURSOR.exec(text) ?? [];
  if (epoch !== undefined && position !== undefined) return { epoch: Number(epoch), position: Number(position) };
  throw new ServiceError('INVALID_ARGUMENT', `${name} ${A_CURSOR}.`);
}

/** Where a stream resumes: `EventSource` sends the last id when it connects again. Throws as `readEventId` does. */
export function resumedAt(headers: RequestHeaders, after: string | undefined): string | undefined {
  const lastId = headers.get('last-event-id');
  if (lastId === null) return after;
  if (lastId !== NOW) readEventId(lastId, 'Last-Event-ID');
  return lastId;
}
