/** The place after a row, as an opaque word. */
export function encodeCursor(id) {
  return Buffer.from(String(id)).toString('base64url');
}

/** The id that the cursor was made of; 0, which every id comes after, for none. */
export function decodeCursor(cursor) {
  return cursor == null ? 0 : Number(Buffer.from(cursor, 'base64url').toString());
}
