import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind, typeFromAST } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { type Issue, ServiceError, validationFailed } from '../errors.ts';
import { readJson } from '../http/body.ts';
import { parseJson, stringifyJson } from '../json.ts';
import type { Context } from './builder.ts';
import { compileOperation, interpretOperation, type Operation } from './compiled.ts';
import { formatError, refused, toClientError } from './errors.ts';
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
}

/** An operation with more fields than this takes longer to compile than it saves. */
const MOST_COMPILED = 300;

export type GraphQLServer = (request: Request, call: GraphQLCall) => Response | Promise<Response>;

/**
 * Yoga over the schema: exact integers in and out, operations that are compiled, and errors that a person can act on.
 */
export function createGraphQLServer({ schema, context, endpoint }: GraphQLServerOptions): GraphQLServer {
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
    graphiql: false,
    plugins: [readsExactly(), runsOperations(schema), answersExactly()],
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

/** Runs operations, after refusing what is too large or wrong in the variables: before anything runs, all faults at once. */
function runsOperations(schema: GraphQLSchema): Plugin<Context & ServerContext, ServerContext> {
  const operationFor = operationsOf(schema);
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens: MOST_TOKENS }));
    },
    onExecute({ args, context, setExecuteFn, setResultAndStopExecution }) {
      const { document } = args;
      const variableValues = args.variableValues ?? {};
      const operationName = args.operationName ?? undefined;
      context.call.operation = labelOf(document, operationName);
      try {
        const fields = assertWithinLimits(schema, document, operationName, variableValues);
        const issues = variableIssues(schema, document, operationName, variableValues);
        if (issues.length > 0) throw validationFailed(issues);
        const operation = operationFor(document, operationName, fields);
        setExecuteFn(({ contextValue }) => operation(variableValues, contextValue));
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
  operationName: string | undefined,
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

function labelOf(document: DocumentNode, operationName: string | undefined): string {
  const [first, ...others] = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  return first?.kind === Kind.FIELD && others.length === 0 ? first.name.value : 'several';
}

/**
 * Compiles an operation when it comes a second time: one that never comes again is not worth it, nor is one with very
 * many fields. What was compiled is kept as long as its document, which is in Yoga's bounded cache.
 */
function operationsOf(schema: GraphQLSchema) {
  const seen = new WeakMap<DocumentNode, Map<string, Operation>>();
  return (document: DocumentNode, name: string | undefined, fields: number): Operation => {
    const known = seen.get(document);
    if (known === undefined) seen.set(document, new Map());
    if (known === undefined || fields > MOST_COMPILED) return interpretOperation(schema, document, name);
    const operation = known.get(name ?? '') ?? compileOperation(schema, document, name);
    known.set(name ?? '', operation);
    return operation;
  };
}

/** Writes integers exactly and every error in the same shape, whoever found it; and tells the caller of the gravest. */
function answersExactly(): Plugin<Context & ServerContext, ServerContext> {
  return {
    onResultProcess({ result, serverContext }) {
      if (Array.isArray(result) || !('errors' in result || 'data' in result)) return;
      const { errors, data, extensions } = result;
      const answer = {
        ...(errors && { errors: errors.map(formatError) }),
        ...(data !== undefined && { data }),
        ...(extensions && { extensions }),
      };
      Object.assign(result, { stringify: () => stringifyJson(answer) });
      const failures = (errors ?? []).flatMap(({ originalError }) =>
        originalError instanceof ServiceError ? [originalError] : [],
      );
      const [gravest] = failures.sort((one, other) => other.status - one.status);
      if (gravest !== undefined) serverContext.call.error = gravest;
    },
  };
}
