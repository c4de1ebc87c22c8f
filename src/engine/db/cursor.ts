import { ServiceError } from '../errors.ts';
import { type Int64, parseInt64 } from '../int64.ts';

/** Longer than any cursor of this service, in characters: longer ones are not parsed. */
const MAX_CURSOR_LENGTH = 4_000;

/** A position in a sorted list: just after or before one row, whether or not that row still exists. */
export interface ListPosition {
  readonly id: Int64;
  /** The row's value of the sort; null when the list is sorted by id alone. */
  readonly value: string | null;
}

/** The position as an opaque string for the client, bound to its list and the list's order. */
export function encodeCursor(list: string, { id, value }: ListPosition): string {
  const parts = value === null ? [list, String(id)] : [list, String(id), value];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * @param list names the list and its order
 * @param isValue whether a text can be a value of this sort; undefined when the list is sorted by id alone
 * @throws {ServiceError} INVALID_ARGUMENT when it is not a cursor of this service, or is one of another list or order
 */
export function decodeCursor(
  cursor: string,
  name: 'after' | 'before',
  list: string,
  isValue: ((text: string) => boolean) | undefined,
): ListPosition {
  const [itsList = list, idText = '', value = null] = partsOf(cursor);
  if (itsList !== list) {
    const message = `${name} is a cursor of another list, or of this list in another order. Keep the filters and the sort order of the first page, or start again.`;
    throw new ServiceError('INVALID_ARGUMENT', message);
  }
  const id = parseInt64(idText);
  const isValid = isValue === undefined ? value === null : value !== null && isValue(value);
  if (id === undefined || !isValid || encodeCursor(list, { id, value }) !== cursor) {
    const message = `${name} is not a cursor of this service. Pass a cursor exactly as an earlier response returned it.`;
    throw new ServiceError('INVALID_ARGUMENT', message);
  }
  return { id, value };
}

/** Nothing if it cannot be a cursor. */
function partsOf(cursor: string): readonly string[] {
  if (cursor.length > MAX_CURSOR_LENGTH) return [];
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : [];
  } catch {
    return [];
  }
}
