import { randomUUID } from 'node:crypto';

/** A request for every contestant; the body is JSON. */
export interface PlainRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: string;
  /** Further header fields. */
  readonly fields?: HeaderFields;
}

export type HeaderFields = Readonly<Record<string, string>>;

/** A placeholder in a header field, replaced by a new value of the same length for each request. */
export const UNIQUE = '00000000-0000-0000-0000-000000000000';

/** The compared parts of a response. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The fields for further requests: whether there is a next page, and the URL of the created row. */
  readonly hasNext: boolean;
  readonly hasLocation: boolean;
}

/** The header fields of every request, without Host. */
export function headersOf({ body, fields }: PlainRequest): HeaderFields {
  return { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }), ...fields };
}

export function get(path: string): PlainRequest {
  return { method: 'GET', path };
}

export function post(path: string, body: unknown): PlainRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
}

export function patch(path: string, body: unknown): PlainRequest {
  return { method: 'PATCH', path, body: JSON.stringify(body) };
}

/** Sends the request, and reads the whole response. */
export async function ask(base: string, request: PlainRequest): Promise<PlainAnswer> {
  const { method, path, body } = request;
  const fields = Object.entries(headersOf(request)).map(([name, value]) => [
    name,
    value === UNIQUE ? randomUUID() : value,
  ]);
  const response = await fetch(base + path, { method, headers: Object.fromEntries(fields), ...(body && { body }) });
  const text = await response.text();
  return {
    status: response.status,
    body: parse(text),
    hasNext: /rel="?next"?/.test(response.headers.get('link') ?? ''),
    hasLocation: response.headers.has('location'),
  };
}

/** Sends a GraphQL request, and gives the data. Rejects if there are errors. */
export async function askGraphQL(
  base: string,
  query: string,
  variables: object = {},
): Promise<Record<string, unknown>> {
  const { body } = await ask(base, post('/graphql', { query, variables }));
  const { data, errors } = (body ?? {}) as { data?: Record<string, unknown>; errors?: unknown };
  if (data == null || errors !== undefined) throw new Error(`${query} was answered with ${JSON.stringify(body)}`);
  return data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
