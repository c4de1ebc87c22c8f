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

/** The header fields as they are sent: with the length of the body, where there is one. */
export function sentHeaders({ status, headers, body }: HttpReply): Readonly<Record<string, string>> {
  if (body === null) return status === 204 || status === 304 ? headers : { ...headers, 'content-length': '0' };
  return { ...headers, 'content-length': String(Buffer.byteLength(body)) };
}
