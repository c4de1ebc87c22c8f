import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, { readonly name: string }>>;
    readonly headers: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

/** The committed contract. */
export const openApi = JSON.parse(
  readFileSync(new URL('../../schema/openapi.json', import.meta.url), 'utf8'),
) as OpenApi & Record<string, unknown>;

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addFormat('int64', true);
ajv.addFormat('int32', true);
ajv.addSchema(openApi, 'contract');
const validators = new Map<object, ValidateFunction>();

const PROBLEM = { $ref: '#/components/schemas/Problem' };

/** Header fields of responses that are not part of the contract. */
const OF_HTTP = new Set([
  'content-type',
  'x-content-type-options',
  'content-length',
  'cache-control',
  'vary',
  'allow',
  'connection',
]);

/**
 * Checks a response against the committed description: its operation has this status, its header fields are described,
 * and its body fits the schema. For paths and methods without an operation only the Error object is checked.
 *
 * @throws {Error} that says what does not fit
 */
export function assertFollowsContract(method: string, path: string, response: Response, body: string): void {
  const operation = findOperation(method === 'HEAD' ? 'GET' : method, path);
  if (operation === undefined) return;
  const described = responseOf(operation, response.status);
  const where = `${method} ${path} answered ${response.status}`;
  if (described === undefined) throw new Error(`${where}, which ${operation.operationId} does not describe: ${body}`);
  const mediaType = response.headers.get('content-type') ?? '';
  // Errors have two more formats: problem details, described once for all operations, and a page for browsers.
  if (response.status >= 400 && mediaType.startsWith('text/html')) return;
  const headers = new Set(Object.keys(described.headers ?? {}).map((name) => name.toLowerCase()));
  for (const [name] of response.headers) {
    if (name.startsWith('access-control-') || OF_HTTP.has(name) || headers.has(name)) continue;
    throw new Error(`${where} with the header ${name}, which is not described.`);
  }
  if (!response.headers.has('x-request-id')) throw new Error(`${where} without X-Request-Id.`);
  if (described.content === undefined || method === 'HEAD') {
    if (body !== '') throw new Error(`${where} with a body, which is not described: ${body}`);
    return;
  }
  const isProblem = response.status >= 400 && mediaType === 'application/problem+json';
  const schema = isProblem ? PROBLEM : described.content[mediaType]?.schema;
  if (schema === undefined)
    throw new Error(`${where} as ${response.headers.get('content-type')}, which is not described.`);
  assertFits(schema, JSON.parse(body), where);
}

/** The description of a response with this status. */
function responseOf({ responses }: OperationObject, status: number): ResponseObject | undefined {
  const response = responses[status];
  if (response === undefined || !('$ref' in response)) return response;
  return openApi.components.responses[response.$ref.replace('#/components/responses/', '')];
}

/** @throws {Error} if the value does not fit the schema, whose references point into the contract */
export function assertFits(schema: object, value: unknown, where: string): void {
  const validate = validators.get(schema) ?? ajv.compile(withAbsoluteReferences(schema));
  validators.set(schema, validate);
  if (!validate(value)) {
    throw new Error(`${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }
}

function findOperation(method: string, path: string): OperationObject | undefined {
  const pathname = path.split('?', 1)[0] ?? '';
  const template = Object.keys(openApi.paths).find((candidate) =>
    new RegExp(`^${candidate.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  return template === undefined ? undefined : openApi.paths[template]?.[method.toLowerCase()];
}

function withAbsoluteReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"contract#/components')) as object;
}
