/** The header fields of a request: takes a name in lower case; null where the field is not there. */
export type RequestHeaders = Pick<Headers, 'get'>;
