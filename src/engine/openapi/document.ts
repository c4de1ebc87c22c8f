import { isEnumType } from 'graphql';
import { annotationsOf } from '../lifecycle/annotated.ts';
import { mediaTypesFor } from '../rest/body.ts';
import type { Endpoint } from '../rest/compile.ts';
import { isList, leafType, serializeEnumValue } from '../rest/parameters.ts';
import { componentOf } from '../rest/selection.ts';
import type { Variable } from '../rest/variables.ts';
import { annotationHeaders, annotationParameters, LIFECYCLE_PARAMETERS } from './annotations.ts';
import { annotationExtensions } from './extensions.ts';
import {
  errorSchema,
  failures,
  type HeaderExamples,
  headerRefs,
  headersWith,
  levelSuffix,
  problemSchema,
} from './failures.ts';
import { headerParameters, REQUEST_HEADERS } from './request-headers.ts';
import { Components, inputSchema, type JsonSchema, leafSchema, listSchema, placeSchema, rowSchema } from './schemas.ts';

/** The parts of the document that come neither from the routes nor from the schema. */
export interface DocumentText {
  readonly version: string;
  readonly description: string;
  /** Navigation groups: group -> its tags, with their descriptions. */
  readonly tagGroups: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** An example for each component, by its name. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** The names of array components, by the operationId that returns them. */
  readonly plurals: Readonly<Record<string, string>>;
  /** Fields of a component that are not listed as required although they always have a value. */
  readonly optional: Readonly<Record<string, readonly string[]>>;
  /** Examples of header fields whose values contain paths or scopes of the application. */
  readonly headerExamples: HeaderExamples;
}

interface OpenApiOptions extends DocumentText {
  readonly title: string;
  readonly basePath: string;
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key (`psk_...`), or a JSON Web Token of the configured issuer. The service can be configured to need one for ' +
      'nothing, for changes, or for reads too. `x-required-scopes` lists the scopes that each operation then needs.',
  },
};

/**
 * The OpenAPI 3.0.3 document of the endpoints.
 *
 * @throws {Error} with the operation's name, if OpenAPI cannot describe its responses
 */
export function openApiDocument(endpoints: readonly Endpoint[], options: OpenApiOptions): JsonSchema {
  const components = new Components(options.examples);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const { path, method } = endpoint.route;
    paths[path] = { ...paths[path], [method.toLowerCase()]: described(endpoint, options, components) };
  }
  components.refer('Error', errorSchema);
  components.refer('Problem', problemSchema);
  const { title, version, description, basePath, tagGroups } = options;
  return {
    openapi: '3.0.3',
    info: { title, version, description },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'This service.' }],
    tags: Object.entries(tagGroups).flatMap(([group, tags]) => [
      { name: group, description: `Contains ${Object.keys(tags).join(' and ')}.` },
      ...Object.entries(tags).map(([name, about]) => ({ name, description: about, 'x-parent': group })),
    ]),
    'x-tagGroups': Object.entries(tagGroups).map(([name, tags]) => ({ name, tags: [name, ...Object.keys(tags)] })),
    paths,
    components: {
      schemas: Object.fromEntries([...components.schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
      parameters: { ...REQUEST_HEADERS, ...LIFECYCLE_PARAMETERS },
      headers: headersWith(options.headerExamples),
      responses: Object.fromEntries([...components.responses].sort(([one], [other]) => (one < other ? -1 : 1))),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function described(endpoint: Endpoint, options: OpenApiOptions, components: Components): JsonSchema {
  try {
    return operationObject(endpoint, options, components);
  } catch (error) {
    throw new Error(`${endpoint.operation.operationId}: ${error instanceof Error ? error.message : error}`);
  }
}

function operationObject(endpoint: Endpoint, options: OpenApiOptions, components: Components): JsonSchema {
  const { route, operation, lifecycle } = endpoint;
  const { inPath, inQuery, inBody, besideBody, field, operationId } = operation;
  const annotations = lifecycle.annotated?.annotations;
  const description = (field.description ?? '').replace(/^\[\w+\] /, '');
  return {
    operationId,
    summary: description.split('. ', 1)[0]?.replace(/\.$/, '') ?? operationId,
    description,
    tags: [route.tag],
    ...(annotations && annotationExtensions(annotations, lifecycle.successor)),
    ...(route.noTryItOut !== undefined && {
      'x-no-trial': route.noTryItOut,
      'x-hideTryItPanel': true,
      'x-explorer-enabled': false,
      'x-zudoku-playground-enabled': false,
    }),
    security: endpoint.prepared.scopes.length === 0 ? [] : [{}, { bearer: [] }],
    'x-required-scopes': endpoint.prepared.scopes,
    parameters: [
      ...inPath.map((variable) => ({
        name: variable.name,
        in: 'path',
        required: true,
        description: variable.argument.description ?? variable.name,
        ...annotationsOfParameter(variable),
        schema: leafSchema(leafType(variable), components),
      })),
      ...inQuery.map((variable) => queryParameter(variable, route.parameters?.[variable.name], components)),
      ...headerParameters(endpoint),
      ...annotationParameters(annotations),
    ],
    ...(inBody && {
      requestBody: {
        required: true,
        description: [
          inBody.argument.description ?? inBody.name,
          ...(inPath.length > 0 ? ['The identifier of the path may be repeated in it.'] : []),
          ...besideBody.map(({ name }) => `\`${name}\` may be sent back in it, as it is now.`),
        ].join(' '),
        content: Object.fromEntries(
          mediaTypesFor(route.method).map((type) => [type, { schema: inputSchema(inBody.type, components) }]),
        ),
      },
    }),
    responses: responses(endpoint, options, components),
  };
}

function queryParameter(variable: Variable, description: string | undefined, components: Components): JsonSchema {
  const place = { ...variable.argument, type: variable.type, defaultValue: variable.defaultValue };
  return {
    name: variable.name,
    in: 'query',
    required: false,
    description: [
      description ?? variable.argument.description ?? variable.name,
      ...(isList(variable) ? ['Repeat it for any of several.'] : []),
      ...enumDescriptions(variable),
    ].join(' '),
    ...annotationsOfParameter(variable),
    ...(isList(variable) && { style: 'form', explode: true }),
    schema: placeSchema({ ...place, extensions: { bounds: place.extensions.bounds } }, components),
  };
}

function annotationsOfParameter({ argument }: Variable): JsonSchema {
  const annotations = annotationsOf(argument);
  return annotations === undefined ? {} : annotationExtensions(annotations);
}

/** The meanings of a parameter's enum values, if REST serializes them differently from GraphQL. */
function enumDescriptions(variable: Variable): string[] {
  const type = leafType(variable);
  if (!isEnumType(type) || !type.getValues().some(({ name }) => serializeEnumValue(name) !== name)) return [];
  return type.getValues().map(({ name, description }) => `\`${serializeEnumValue(name)}\`: ${description ?? name}`);
}

function responses(endpoint: Endpoint, options: OpenApiOptions, components: Components): JsonSchema {
  const { route, operation } = endpoint;
  const annotated = annotationHeaders(endpoint.lifecycle.annotated?.annotations);
  const optional = options.optional[componentOf(operation) ?? ''] ?? [];
  const body =
    route.reply.kind === 'none'
      ? undefined
      : route.reply.kind === 'list'
        ? listSchema(operation, options.plurals[operation.operationId] ?? operation.operationId, optional, components)
        : rowSchema(operation, optional, components);
  const ofWrites = route.method === 'GET' ? [] : ['Idempotent-Replayed'];
  const answers = Object.entries(route.reply.statuses).map(([status, { description, headers = [] }]) => [
    status,
    {
      description,
      headers: headerRefs([...headers, ...(endpoint.hasTag ? ['ETag'] : []), ...ofWrites, ...annotated]),
      ...(body && { content: { 'application/json': { schema: body } } }),
    },
  ]);
  const notModified = {
    status: '304',
    name: `NotModified${route.reply.kind === 'list' ? 'List' : ''}${levelSuffix(endpoint.lifecycle.annotated?.annotations)}`,
    response: {
      description: 'The client has the current version, as `If-None-Match` says.',
      headers: headerRefs([...(route.reply.statuses[200]?.headers ?? []), 'ETag', ...annotated]),
    },
  };
  const shared = [...(route.method === 'GET' ? [notModified] : []), ...failures(endpoint)];
  return Object.fromEntries([...answers, ...shared.map((one) => [one.status, components.respond(one)])]);
}
