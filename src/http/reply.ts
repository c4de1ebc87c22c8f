/** An answer before it is sent; header names in lower case. A HEAD's has the body all the same, which is not sent. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** Header fields of two sources together; a field that both have becomes one list (RFC 9110, section 5.3). */
export function mergeHeaders(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): Record<string, string> {
  const merged = { ...one };
  for (const name in other) {
    const [before, value] = [merged[name], other[name] as string];
    merged[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return merged;
}

/** The length of the body in bytes, as its field has it; undefined where an answer must have none (RFC 9110, section 8.6). */
export function contentLength({ status, body }: HttpReply): string | undefined {
  if (body === null) return status === 204 || status === 304 ? undefined : '0';
  return String(Buffer.byteLength(body));
}
