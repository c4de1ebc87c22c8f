/** An answer before it is a `Response`; header names in lower case. */
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
  for (const [name, value] of Object.entries(other)) {
    merged[name] = merged[name] === undefined ? value : `${merged[name]}, ${value}`;
  }
  return merged;
}
