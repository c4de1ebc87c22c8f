/** Names and values in turn; names in lower case. One that comes twice is a list (RFC 9110, section 5.3). */
export type HeaderFields = readonly string[];

/** An answer before it is sent. A HEAD's has the body all the same, which is not sent. */
export interface HttpReply {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** An answer as it is sent, with the length of its body among its header fields. */
export interface SentReply extends HttpReply {
  /** How to write a body that is text: ASCII alone is the same in Latin-1, and written in less time. */
  readonly encoding: 'latin1' | 'utf8';
  /** Whose it is: what is held for one caller is bounded. */
  readonly caller: string;
}

/** The value of a field; the first where it comes twice. */
export function fieldOf(headers: HeaderFields, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) return headers[index + 1];
  }
  return undefined;
}

/** All fields but those of the name. */
export function without(headers: HeaderFields, name: string): HeaderFields {
  return headers.filter((_, index) => headers[index - (index % 2)] !== name);
}

/** The length of the body in bytes; undefined where an answer must have none (RFC 9110, section 8.6). */
export function contentLength({ status, body }: HttpReply): number | undefined {
  if (body === null) return status === 204 || status === 304 ? undefined : 0;
  return Buffer.byteLength(body);
}
