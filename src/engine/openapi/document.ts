import { isEnumType } from 'graphql';
import { annotationsOf } from '../lifecycle/annotated.ts';
import { acceptedBodies } from '../rest/body.ts';
import { type Endpoint, identityOf } from '../rest/compile.ts';
import { hasRestNames, isList, isRequired, leafType, restNameOf } from '../rest/parameters.ts';
import { creates } from '../rest/route.ts';
import type { Variable } from '../rest/variables.ts';
import { additionsOf, annotationExtensions } from './annotations.ts';
import { Components, type ComponentText, type JsonSchema } from './components.ts';
import { ERROR_SCHEMA, errorResponses, levelSuffix, PROBLEM_SCHEMA } from './error-responses.ts';
import { type HeaderExamples, headerParameters, headerRefs, REQUEST_HEADERS, responseHeaders } from './headers.ts';
import { inputSchema, listSchema, rowName, rowSchema, typeSchema } from './schemas.ts';

/** The parts of the document that come neither from the routes nor from the schema. */
export interface DocumentText extends ComponentText {
  readonly title: string;
  readonly basePath: string;
  readonly version: string;
  readonly description: string;
  /** Navigation groups: group -> its tags, with their descriptions. */
  readonly tagGroups: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The names of array components, by the operationId that returns them: by default, what follows its `list`. */
  readonly plurals: Readonly<Record<string, string>>;
  /** Examples of header fields whose values contain paths or scopes of the application. */
  readonly headerExamples: HeaderExamples;
}

const LIST = new Intl.ListFormat('en-GB');

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key (`psk_...`), or a JSON Web Token of the configured issuer. The service can be configured to need one for ' +
      'nothing, for changes and webhooks, or for reads too. `x-required-scopes` lists the scopes that each operation then needs.',
  },
};

/** @throws {Error} if OpenAPI 3.0.3 cannot describe a response, or a text describes something that does not exist */
export function openApiDocument(endpoints: readonly Endpoint[], options: DocumentText): JsonSchema {
  const components = new Components(options);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const { path, method } = endpoint.route;
    try {
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(endpoint, options, components) };
    } catch (error) {
      throw new Error(`${endpoint.operationId}: ${(error as Error).message}`);
    }
  }
  components.refer('Error', ERROR_SCHEMA, () => ERROR_SCHEMA);
  components.refer('Problem', PROBLEM_SCHEMA, () => PROBLEM_SCHEMA);
  const { title, version, description, basePath, tagGroups, examples, optional, plurals } = options;
  const operationIds = endpoints.map(({ operationId }) => operationId);
  const names = [...components.schemas.keys(), ...operationIds];
  const misspelt = [examples, optional, plurals].flatMap(Object.keys).find((name) => !names.includes(name));
  if (misspelt !== undefined)
    throw new Error(`OpenAPI has no schema and no operation ${misspelt}, which a resource describes.`);
  return {
    openapi: '3.0.3',
    info: { title, version, description },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'This service.' }],
    tags: Object.entries(tagGroups).flatMap(([group, tags]) => [
      { name: group, description: `Contains ${LIST.format(Object.keys(tags))}.` },
      ...Object.entries(tags).map(([name, about]) => ({ name, description: about, 'x-parent': group })),
    ]),
    'x-tagGroups': Object.entries(tagGroups).map(([name, tags]) => ({ name, tags: [name, ...Object.keys(tags)] })),
    paths,
    components: {
      schemas: sorted(components.schemas),
      parameters: REQUEST_HEADERS,
      headers: responseHeaders(options.headerExamples),
      responses: sorted(components.responses),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function sorted(named: ReadonlyMap<string, JsonSchema>): JsonSchema {
  return Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function operationObject(endpoint: Endpoint, options: DocumentText, components: Components): JsonSchema {
  const { route, pathVariables, queryVariables, bodyVariable, bodyFieldVariables, selected, operationId } = endpoint;
  const { annotations, successor } = endpoint.lifecycle;
  if (!Object.values(options.tagGroups).some((tags) => Object.hasOwn(tags, route.tag)))
    throw new Error(`no resource has the tag ${route.tag} in its tags.`);
  const description = (selected.field.description ?? '').replace(/^\[\w+\] /, '');
  return {
    operationId,
    summary: description.replace(/\.( .*)?$/s, ''),
    description,
    tags: [route.tag],
    ...annotationExtensions(
      annotations,
      successor && { operationId: successor.operationId, operation: successor.operation },
    ),
    ...(route.noTryItOut !== undefined && {
      'x-no-trial': route.noTryItOut,
      'x-hideTryItPanel': true,
      'x-explorer-enabled': false,
      'x-zudoku-playground-enabled': false,
    }),
    security: endpoint.prepared.scopes.length === 0 ? [] : [{}, { bearer: [] }],
    'x-required-scopes': endpoint.prepared.scopes,
    parameters: [
      ...pathVariables.map((variable) => ({
        ...parameterObject(variable, 'path', endpoint, components),
        ...exampleInPath(variable, endpoint, options),
      })),
      ...queryVariables.map((variable) => parameterObject(variable, 'query', endpoint, components)),
      ...headerParameters(endpoint),
    ],
    ...(bodyVariable && {
      requestBody: {
        required: true,
        description: [
          bodyVariable.argument.description ?? bodyVariable.name,
          ...(pathVariables.length > 0 && !creates(route) ? ['The identifier of the path may be repeated in it.'] : []),
          ...bodyFieldVariables.map(({ name }) => `\`${name}\` may be sent back in it, as it is now.`),
        ].join(' '),
        content: Object.fromEntries(
          acceptedBodies(route.method).mediaTypes.map((type) => [
            type,
            { schema: typeSchema(bodyVariable.type, components) },
          ]),
        ),
      },
    }),
    responses: responses(endpoint, options, components),
  };
}

function parameterObject(
  variable: Variable,
  where: 'path' | 'query',
  { route, lifecycle }: Endpoint,
  components: Components,
): JsonSchema {
  const { name, type, argument, defaultValue = argument.defaultValue } = variable;
  const annotations = annotationsOf(argument);
  const successor = annotations?.deprecation?.successor.coordinate;
  const inRest = successor && lifecycle.restName(successor);
  const { bounds } = argument.extensions;
  // Of the parameter, because some tools read no other.
  const { example, ...schema } = inputSchema({ type, defaultValue, extensions: { bounds } }, components);
  return {
    name,
    in: where,
    required: where === 'path' || isRequired(variable),
    description: [
      route.parameters?.[name] ?? argument.description ?? name,
      ...(isList(variable) ? [' Repeat it for several values.'] : []),
      ...enumDescriptions(variable),
    ].join(''),
    ...annotationExtensions(annotations, inRest === undefined || inRest === successor ? {} : { name: inRest }),
    ...(isList(variable) && { style: 'form', explode: true }),
    schema,
    ...(example !== undefined && { example }),
  };
}

/** What the example of the row has, so that a request and its response agree. */
function exampleInPath({ name }: Variable, endpoint: Endpoint, { examples }: DocumentText): JsonSchema {
  const [identity = ''] = [...identityOf(endpoint)].find(([, variable]) => variable === name) ?? [];
  const row = examples[rowName(endpoint)] as Readonly<Record<string, unknown>> | undefined;
  const example = row?.[name] ?? row?.[identity];
  return example === undefined ? {} : { example };
}

/** The meanings of a parameter's enum values, as a list in Markdown, if REST serializes them differently from GraphQL. */
function enumDescriptions(variable: Variable): string[] {
  const type = leafType(variable);
  if (!isEnumType(type) || !hasRestNames(type)) return [];
  const items = type.getValues().map((value) => `- \`${restNameOf(value)}\`: ${value.description ?? value.name}`);
  return [`\n\n${items.join('\n')}`];
}

function responses(endpoint: Endpoint, options: DocumentText, components: Components): JsonSchema {
  const { route, operationId } = endpoint;
  const { kind, statuses } = route.reply;
  const isRead = route.method === 'GET';
  const { annotations } = endpoint.lifecycle;
  const { headers: ofAnnotations } = additionsOf(annotations);
  const plural = options.plurals[operationId] ?? operationId.replace(/^list/, '');
  const stream = route.stream && { 'text/event-stream': { schema: { type: 'string', description: route.stream } } };
  const body = () => (kind === 'list' ? listSchema(endpoint, plural, components) : rowSchema(endpoint, components));
  const successes = Object.entries(statuses).map(([status, { description, headers = [] }]) => [
    status,
    {
      description,
      headers: headerRefs([
        ...headers,
        ...(endpoint.hasTag ? ['ETag'] : []),
        ...(isRead ? [] : ['Idempotent-Replayed']),
        ...ofAnnotations,
      ]),
      ...(kind !== 'none' && { content: { 'application/json': { schema: body() }, ...stream } }),
    },
  ]);
  // Feeds, pages and whole lists differ in their header fields.
  const ofList = route.stream !== undefined ? 'Feed' : statuses[200]?.headers === undefined ? 'Rows' : 'List';
  const notModified = {
    status: '304',
    name: `NotModified${kind === 'list' ? ofList : ''}${levelSuffix(annotations)}`,
    response: {
      description: 'The client has the current version, as `If-None-Match` says.',
      headers: headerRefs([...(statuses[200]?.headers ?? []), 'ETag', ...ofAnnotations]),
    },
  };
  const shared = [...(isRead && endpoint.hasTag ? [notModified] : []), ...errorResponses(endpoint)];
  return Object.fromEntries([...successes, ...shared.map((one) => [one.status, components.respond(one)])]);
}
