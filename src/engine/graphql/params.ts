import type { GraphQLParams } from 'graphql-yoga';
import { ServiceError } from '../errors.ts';
import { readJson } from '../http/body.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { assertUtf8 } from '../http/media-type.ts';
import { parseJson } from '../json.ts';
import { show } from '../schema/input.ts';

/**
 * Reads the GraphQL parameters of a GET or POST, with exact integers. A POST must be JSON: other content types need no
 * CORS preflight, so a page of another site could send them.
 *
 * @param charge as of `readJson`
 * @throws {ServiceError} METHOD_NOT_ALLOWED, UNSUPPORTED_MEDIA_TYPE, INVALID_ARGUMENT, or as `readJson` does
 */
export async function readParams(
  request: IncomingRequest,
  charge: Parameters<typeof readJson>[1],
): Promise<GraphQLParams> {
  const { method, search } = request;
  if (method !== 'POST' && method !== 'GET') {
    const headers = { allow: 'GET, HEAD, POST, OPTIONS' };
    throw new ServiceError('METHOD_NOT_ALLOWED', 'GraphQL only supports GET and POST requests.', { headers });
  }
  const params = method === 'POST' ? await readPost(request, charge) : readSearch(search);
  const { query, extensions } = params;
  const operationName: unknown = params.operationName;
  // At this message, clients send the document instead of its digest, and go on to do so.
  if (query == null && extensions?.persistedQuery !== undefined) throw invalid('PersistedQueryNotSupported');
  if (typeof query !== 'string') throw invalid('query must be a string: the GraphQL document.');
  if (operationName != null && typeof operationName !== 'string') throw invalid('operationName must be a string.');
  return params;
}

async function readPost(request: IncomingRequest, charge: Parameters<typeof readJson>[1]): Promise<GraphQLParams> {
  const contentType = request.headers.get('content-type');
  if (contentType?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json.');
  }
  assertUtf8(contentType);
  const body = await readJson(request, charge);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('The body must be a JSON object with a query. Batches are not supported.');
  }
  return body as GraphQLParams;
}

function readSearch(search: string): GraphQLParams {
  const params: Record<string, unknown> = {};
  for (const [name, text] of new URLSearchParams(search)) {
    if (Object.hasOwn(params, name)) throw invalid(`${show(name)} must be given only once.`);
    params[name] = name === 'variables' || name === 'extensions' ? readJsonParameter(name, text) : text;
    // GraphQL over HTTP, section 5.3: an empty one is as none.
    if (name === 'operationName' && text === '') params[name] = undefined;
  }
  return params as GraphQLParams;
}

function readJsonParameter(name: string, text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    throw invalid(`${name} is ${error instanceof SyntaxError ? 'not JSON' : 'nested too deep'}.`);
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', message);
}
