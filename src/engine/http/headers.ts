/** The header fields of a request: `get` takes a name in lower case, and returns null if the field is missing. */
export type RequestHeaders = Pick<Headers, 'get'>;
