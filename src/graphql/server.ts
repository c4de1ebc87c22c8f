import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { type DocumentNode, GraphQLError, type GraphQLSchema, getOperationAST, Kind, typeFromAST } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { type Issue, ServiceError, validationFailed } from '../errors.ts';
import { readJson } from '../http/body.ts';
import { parseJson, stringifyJson } from '../json.ts';
import type { Context } from './builder.ts';
import { compileOperation, interpretOperation, type Operation } from './compiled.ts';
import { refused, toClientError } from './errors.ts';
import { type InputPlace, inputIssues } from './input.ts';
import { assertWithinLimits, MOST_TOKENS } from './limits.ts';

/** What the server tells of a request while it answers it. */
export interface GraphQLCall {
  /** The root field that the operation selects, or `several`: a label of few values. */
  operation: string;
  /** The gravest failure in the answer. */
  error?: ServiceError;
}

interface ServerContext {
  readonly call: GraphQLCall;
}

export interface GraphQLServerOptions {
  readonly schema: GraphQLSchema;
  readonly context: Context;
  /** The path it is served at. */
  readonly endpoint: string;
  /** Documents that the playground opens with, each in a tab of its own. */
  readonly examples: readonly string[];
}

export type GraphQLServer = (request: Request, call: GraphQLCall) => Response | Promise<Response>;

/**
 * Yoga over the schema: exact integers in and out, operations that are compiled, and errors that a person can act on.
 */
export function createGraphQLServer({ schema, context, endpoint, examples }: GraphQLServerOptions): GraphQLServer {
  const yoga = createYoga<ServerContext, Context>({
    schema,
    context: () => context,
    graphqlEndpoint: endpoint,
    cors: false,
    multipart: false,
    landingPage: false,
    logging: false,
    maxRequestBodySize: false,
    maskedErrors: { maskError: toClientError },
    renderGraphiQL,
    graphiql: { title: 'Pet store: GraphQL', defaultTabs: examples.map((query) => ({ query })) },
    plugins: [readsExactly(), checksOperations(schema), runsCompiled(schema), answersExactly()],
  });
  return (request, call) => yoga.fetch(request, { call });
}

/** Takes JSON alone, integers exact: other content types need no preflight, so a foreign page could send them. */
function readsExactly(): Plugin {
  return {
    onRequestParse({ request, setRequestParser }) {
      if (request.method === 'GET') setRequestParser(readSearch);
      else if (request.method === 'POST') setRequestParser(readPost);
    },
  };
}

async function readPost(request: Request): Promise<GraphQLParams> {
  const contentType = request.headers.get('content-type');
  if (contentType?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json.');
  }
  const body = await readJson(request);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ServiceError('INVALID_ARGUMENT', 'The body must be a JSON object with a query; batches are not taken.');
  }
  return body as GraphQLParams;
}

function readSearch(request: Request): GraphQLParams {
  const mark = request.url.indexOf('?');
  const search = new URLSearchParams(mark === -1 ? '' : request.url.slice(mark + 1));
  const params: Record<string, unknown> = {};
  for (const [name, text] of search) params[name] = isJson(name) ? readJsonParameter(name, text) : text;
  return params as GraphQLParams;
}

function isJson(parameter: string): boolean {
  return parameter === 'variables' || parameter === 'extensions';
}

function readJsonParameter(name: string, text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    throw new ServiceError('INVALID_ARGUMENT', `${name} is not JSON.`);
  }
}

/** Refuses what is too large or wrong in the variables, before anything runs and with all faults at once. */
function checksOperations(schema: GraphQLSchema): Plugin<Context & ServerContext, ServerContext> {
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens: MOST_TOKENS }));
    },
    onExecute({ args, context, setResultAndStopExecution }) {
      const { document, operationName, variableValues = {} } = args;
      context.call.operation = labelOf(document, operationName);
      try {
        assertWithinLimits(schema, document, operationName ?? undefined, variableValues);
        const issues = variableIssues(schema, document, operationName, variableValues);
        if (issues.length > 0) throw validationFailed(issues);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        setResultAndStopExecution({ errors: [refused(error, { spec: true })] });
      }
    },
  };
}

function variableIssues(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  values: Readonly<Record<string, unknown>>,
): Issue[] {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  return definitions.flatMap((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    const place = { type, defaultValue: definition.defaultValue, extensions: {} } as InputPlace;
    return inputIssues(place, values[name], [name]);
  });
}

function labelOf(document: DocumentNode, operationName: string | null | undefined): string {
  const [first, ...others] = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  return first?.kind === Kind.FIELD && others.length === 0 ? first.name.value : 'several';
}

/** Compiles an operation when it comes a second time: one that never comes again is not worth it. */
function runsCompiled(schema: GraphQLSchema): Plugin<Context & ServerContext, ServerContext> {
  const compiled = new WeakMap<DocumentNode, Map<string, Operation>>();
  return {
    onExecute({ args: { document, operationName }, setExecuteFn }) {
      const operation = operationFor(document, operationName ?? undefined);
      setExecuteFn(({ variableValues, contextValue }) => operation(variableValues ?? {}, contextValue));
    },
  };

  function operationFor(document: DocumentNode, name: string | undefined): Operation {
    const known = compiled.get(document);
    if (known === undefined) {
      compiled.set(document, new Map());
      return interpretOperation(schema, document, name);
    }
    const operation = known.get(name ?? '') ?? compileOperation(schema, document, name);
    known.set(name ?? '', operation);
    return operation;
  }
}

/** Writes integers exactly, and tells the caller of the gravest failure. */
function answersExactly(): Plugin<Context & ServerContext, ServerContext> {
  return {
    onResultProcess({ result, serverContext }) {
      if (Array.isArray(result) || !('errors' in result || 'data' in result)) return;
      Object.assign(result, { stringify: stringifyJson });
      const errors = (result.errors ?? []).flatMap((error) => {
        const origin = error instanceof GraphQLError ? error.originalError : undefined;
        return origin instanceof ServiceError ? [origin] : [];
      });
      const [gravest] = errors.sort((one, other) => other.status - one.status);
      if (gravest !== undefined) serverContext.call.error = gravest;
    },
  };
}
