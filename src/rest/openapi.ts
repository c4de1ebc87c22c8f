import { type ErrorCode, errorTable } from '../errors.ts';
import { markExtensions } from '../lifecycle/openapi.ts';
import { markOf } from '../lifecycle/plugin.ts';
import { mediaTypesFor } from './body.ts';
import type { Endpoint } from './compile.ts';
import { isList, leafType } from './parameters.ts';
import { Components, inputSchema, type JsonSchema, leafSchema, listSchema, placeSchema, rowSchema } from './schemas.ts';
import type { Variable } from './variables.ts';

/** What the document says that routes and schema do not. */
export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly basePath: string;
  /** Navigation groups: tag -> the tags under it, with their descriptions. */
  readonly tagGroups: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** An example for each component, by its name. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** What array components are called, by the operationId that answers with them. */
  readonly plurals: Readonly<Record<string, string>>;
  /** Fields of a component that are not marked required although they always have a value. */
  readonly optional: Readonly<Record<string, readonly string[]>>;
}

const ALWAYS: readonly ErrorCode[] = ['INVALID_ARGUMENT', 'NOT_ACCEPTABLE', 'INTERNAL', 'UNAVAILABLE', 'TIMEOUT'];
const WITH_BODY: readonly ErrorCode[] = [
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_FAILED',
];
const WITH_PATH: readonly ErrorCode[] = ['NOT_FOUND'];

const text = { type: 'string' };
const HEADERS: Readonly<Record<string, { description: string; schema: JsonSchema; example: unknown }>> = {
  'X-Request-Id': {
    description: "The request's id: the client's own, or a new one. The service's log has it.",
    schema: text,
    example: '6f1c3c1e-4f0e-4d0a-9a52-3b7b0e6f9b1d',
  },
  Location: { description: 'The address of the new row.', schema: text, example: 'https://pets.example/pets/12' },
  Link: {
    description: 'Addresses that go with this one (RFC 8288): `next` is the next page, and absent on the last.',
    schema: text,
    example: '<https://pets.example/pets?after=WyJpZCIsIjIwIl0>; rel="next"',
  },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: { type: 'integer' }, example: 1 },
  'API-Stability': {
    description: 'How far the operation can be relied on.',
    schema: { type: 'string', enum: ['experimental', 'beta', 'deprecated'] },
    example: 'beta',
  },
  Deprecation: {
    description: 'Since when the operation is deprecated (RFC 9745).',
    schema: text,
    example: '@1782864000',
  },
  Sunset: {
    description: 'Until when the operation is served (RFC 8594).',
    schema: text,
    example: 'Fri, 31 Dec 2027 23:59:59 GMT',
  },
  Warning: {
    description: 'The deprecation, in words.',
    schema: text,
    example: '299 - "Deprecated since 2026-07-01, served until 2027-12-31"',
  },
};

/** The OpenAPI 3.0.3 document of the endpoints. */
export function openApiDocument(endpoints: readonly Endpoint[], options: OpenApiOptions): JsonSchema {
  const components = new Components(options.examples);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const { path, method } = endpoint.route;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(endpoint, options, components) };
  }
  components.refer('Error', errorSchema);
  components.refer('Problem', problemSchema);
  const { title, version, description, basePath, tagGroups } = options;
  return {
    openapi: '3.0.3',
    info: { title, version, description },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'This service.' }],
    security: [],
    tags: Object.entries(tagGroups).flatMap(([group, tags]) => [
      { name: group, description: `Groups ${Object.keys(tags).join(' and ')}; has no operations of its own.` },
      ...Object.entries(tags).map(([name, about]) => ({ name, description: about, 'x-parent': group })),
    ]),
    'x-tagGroups': Object.entries(tagGroups).map(([name, tags]) => ({ name, tags: [name, ...Object.keys(tags)] })),
    paths,
    components: {
      schemas: Object.fromEntries([...components.schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
      headers: HEADERS,
    },
  };
}

function operationObject(endpoint: Endpoint, options: OpenApiOptions, components: Components): JsonSchema {
  const { route, operation } = endpoint;
  const { inPath, inQuery, inBody, field, operationId } = operation;
  const mark = markOf(field);
  const description = (field.description ?? '').replace(/^\[\w+\] /, '');
  return {
    operationId,
    summary: description.split('. ', 1)[0]?.replace(/\.$/, '') ?? operationId,
    description,
    tags: [route.tag],
    ...(mark && markExtensions(mark)),
    ...(route.trial === 'off' && {
      'x-hideTryItPanel': true,
      'x-explorer-enabled': false,
      'x-zudoku-playground-enabled': false,
    }),
    parameters: [
      ...inPath.map((variable) => ({
        name: variable.name,
        in: 'path',
        required: true,
        description: variable.argument.description ?? variable.name,
        schema: leafSchema(leafType(variable), components),
      })),
      ...inQuery.map((variable) => queryParameter(variable, components)),
    ],
    ...(inBody && {
      requestBody: {
        required: true,
        description: inBody.argument.description ?? inBody.name,
        content: Object.fromEntries(
          mediaTypesFor(route.method).map((type) => [type, { schema: inputSchema(inBody.type, components) }]),
        ),
      },
    }),
    responses: responses(endpoint, options, components),
  };
}

function queryParameter(variable: Variable, components: Components): JsonSchema {
  const place = { ...variable.argument, type: variable.type, defaultValue: variable.defaultValue };
  return {
    name: variable.name,
    in: 'query',
    required: false,
    description: `${variable.argument.description ?? variable.name}${isList(variable) ? ' Repeat it for any of several.' : ''}`,
    ...(isList(variable) && { style: 'form', explode: true }),
    schema: placeSchema({ ...place, extensions: { bounds: place.extensions.bounds } }, components),
  };
}

function responses(endpoint: Endpoint, options: OpenApiOptions, components: Components): JsonSchema {
  const { route, operation } = endpoint;
  const marked = markHeaders(endpoint);
  const optional = options.optional[[...operation.fragments.keys()][0] ?? ''] ?? [];
  const body =
    route.reply.kind === 'none'
      ? undefined
      : route.reply.kind === 'list'
        ? listSchema(operation, options.plurals[operation.operationId] ?? operation.operationId, optional, components)
        : rowSchema(operation, optional, components);
  const answers = Object.entries(route.reply.statuses).map(([status, { description, headers = [] }]) => [
    status,
    {
      description,
      headers: headerRefs([...headers, ...marked]),
      ...(body && { content: { 'application/json': { schema: body } } }),
    },
  ]);
  return Object.fromEntries([...answers, ...failures(endpoint, marked)]);
}

function failures({ route, operation }: Endpoint, marked: readonly string[]): [string, JsonSchema][] {
  const codes = new Set<ErrorCode>([
    ...ALWAYS,
    ...(operation.inPath.length > 0 ? WITH_PATH : []),
    ...(operation.inBody === undefined ? [] : WITH_BODY),
    ...(route.errors ?? []),
  ]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, ofStatus]) => [
    String(status),
    {
      description: ofStatus.map((code) => `\`${code}\`: ${errorTable[code].title}.`).join(' '),
      headers: headerRefs([...(status === 503 || status === 504 ? ['Retry-After'] : []), ...marked]),
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Error' } },
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      },
    },
  ]);
}

function markHeaders({ operation }: Endpoint): string[] {
  const mark = markOf(operation.field);
  if (mark === undefined) return [];
  return mark.level === 'deprecated'
    ? ['API-Stability', 'Deprecation', 'Sunset', 'Warning', 'Link']
    : ['API-Stability'];
}

function headerRefs(names: readonly string[]): JsonSchema {
  const all = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const errorFields = {
  code: { type: 'string', enum: Object.keys(errorTable), description: 'Machine-readable error code.' },
  status: { type: 'integer', description: 'The HTTP status code: that of the response.' },
};

function errorSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'A failure.',
    required: ['code', 'message', 'status'],
    properties: {
      code: errorFields.code,
      message: { type: 'string', description: 'Human-readable description of the error.' },
      status: errorFields.status,
    },
  };
}

function problemSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'A failure as problem details (RFC 9457), for a client that accepts them.',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: { type: 'string', description: 'Always `about:blank`: the code tells the kind of failure.' },
      title: { type: 'string', description: 'The kind of failure, in words.' },
      status: errorFields.status,
      detail: { type: 'string', description: 'What was wrong, where, and what is accepted.' },
      code: errorFields.code,
      errors: {
        type: 'array',
        description: 'The faults one by one, where there may be several.',
        items: {
          type: 'object',
          required: ['pointer', 'message'],
          properties: {
            pointer: { type: 'string', description: 'JSON Pointer (RFC 6901) to the value.' },
            message: { type: 'string', description: 'What it must be.' },
          },
        },
      },
    },
  };
}
