import { ServiceError } from '../errors.ts';
import { parseUnique, readJson } from '../http/body.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { assertMediaType } from '../http/media-type.ts';
import { assertReadable } from '../limits/json.ts';
import { unitsOfValues } from '../limits/units.ts';
import { show } from '../schema/input.ts';

export type GraphQLParams = Awaited<ReturnType<typeof readParams>>;

const PARAMETERS = ['query', 'operationName', 'variables', 'extensions'];

/**
 * Reads the parameters of a GET or POST, with exact integers. A POST must be JSON: other content types need no CORS
 * preflight, so a page of another site could send them.
 *
 * @throws METHOD_NOT_ALLOWED, UNSUPPORTED_MEDIA_TYPE, INVALID_ARGUMENT, or as `readJson` does
 */
export async function readParams(request: IncomingRequest) {
  const { method } = request;
  if (method !== 'POST' && method !== 'GET') {
    const headers = { allow: 'GET, HEAD, POST, OPTIONS' };
    throw new ServiceError('METHOD_NOT_ALLOWED', 'GraphQL only supports GET and POST requests.', { headers });
  }
  const params = method === 'POST' ? await readPost(request) : readSearch(request);
  const { query, operationName, variables, extensions, ...others } = params;
  // Apollo clients react to this message: they send the whole document from then on, not its digest.
  if (query == null && isObject(extensions) && extensions.persistedQuery !== undefined) {
    throw invalid('PersistedQueryNotSupported');
  }
  for (const name in others) {
    if (others[name] != null)
      throw invalid(`${show(name)} is not a parameter of GraphQL, which accepts ${PARAMETERS.join(', ')}.`);
  }
  if (typeof query !== 'string') throw invalid('query must be a string: the GraphQL document.');
  if (operationName != null && typeof operationName !== 'string') throw invalid('operationName must be a string.');
  return {
    query,
    operationName: operationName ?? undefined,
    variables: readObject('variables', variables),
    extensions: readObject('extensions', extensions),
  };
}

function readObject(name: string, value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value == null) return undefined;
  if (isObject(value)) return value;
  throw invalid(`${name} must be an object, not ${show(value)}.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readPost(request: IncomingRequest) {
  assertMediaType(request.headers.get('content-type'), ['application/json']);
  const body = await readJson(request);
  if (isObject(body)) return body;
  throw invalid('The body must be a JSON object with a query. Batches are not supported.');
}

function readSearch({ search, meter }: IncomingRequest): Readonly<Record<string, unknown>> {
  const params: Record<string, unknown> = Object.create(null);
  for (const [name, text] of new URLSearchParams(search)) {
    if (Object.hasOwn(params, name)) throw invalid(`${show(name)} must be given only once.`);
    const isJson = name === 'variables' || name === 'extensions';
    // GraphQL over HTTP, section 5.3: an empty parameter counts as missing.
    if (text === '' && (isJson || name === 'operationName')) params[name] = undefined;
    else if (isJson) {
      meter.charge(unitsOfValues(assertReadable(Buffer.from(text), name)));
      params[name] = parseUnique(text, name, invalid);
    } else params[name] = text;
  }
  return params;
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', message);
}
