/** The opaque cursor of a row. */
export function encodeCursor(id) {
  return Buffer.from(String(id)).toString('base64url');
}

/** The id in the cursor; without a cursor 0, which comes before every id. */
export function decodeCursor(cursor) {
  return cursor == null ? 0 : Number(Buffer.from(cursor, 'base64url').toString());
}
