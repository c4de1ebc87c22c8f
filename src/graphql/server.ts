import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind, typeFromAST } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { type Issue, ServiceError, validationFailed } from '../errors.ts';
import { readJson } from '../http/body.ts';
import { parseJson, stringifyJson } from '../json.ts';
import { type Admit, type Caller, wantsStrict } from '../lifecycle/admit.ts';
import { byCoordinate } from '../lifecycle/guard.ts';
import type { Context } from './builder.ts';
import { formatError, refused, toClientError } from './errors.ts';
import { type InputPlace, inputIssues } from './input.ts';
import { type LifecycleNotice, lifecycleNotices, wantsExtension } from './lifecycle.ts';
import { assertWithinLimits, MOST_TOKENS } from './limits.ts';
import { knownOperations } from './operations.ts';

/** A request: what the server needs to know beside it, and what it tells of it while it answers. */
export interface GraphQLCall {
  readonly headers: Caller['headers'];
  /** The absolute address of the service. */
  readonly base: string;
  /** The root field that the operation selects, or `several`: a label of few values. */
  operation: string;
  /** The gravest failure in the answer. */
  error?: ServiceError;
  /** What the answer tells of marks. */
  notice?: LifecycleNotice;
}

interface ServerContext {
  readonly call: GraphQLCall;
}

export interface GraphQLServerOptions {
  readonly schema: GraphQLSchema;
  readonly context: Context;
  /** The path it is served at. */
  readonly endpoint: string;
  readonly admit: Admit;
  /** The path of the page about deprecations and sunsets. */
  readonly lifecyclePage: string;
}

export type GraphQLServer = (request: Request, call: GraphQLCall) => Promise<Response>;

/**
 * Yoga over the schema: exact integers in and out, operations that are compiled, and errors that a person can act on.
 */
export function createGraphQLServer(options: GraphQLServerOptions): GraphQLServer {
  const { schema, context, endpoint } = options;
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
    plugins: [readsExactly(), runsOperations(options), answersExactly()],
  });
  return async (request, call) => {
    const response = await yoga.fetch(request, { call });
    for (const [name, value] of Object.entries(call.notice?.headers ?? {})) response.headers.set(name, value);
    return response;
  };
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

/**
 * Runs operations, after refusing what is too large, wrong in the variables (all faults at once) or not to be answered
 * for its marks: before anything runs.
 */
function runsOperations({
  schema,
  admit,
  lifecyclePage,
}: GraphQLServerOptions): Plugin<Context & ServerContext, ServerContext> {
  const operationFor = knownOperations(schema);
  const noticeOf = lifecycleNotices(lifecyclePage);
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens: MOST_TOKENS }));
    },
    onExecute({ args, context, setExecuteFn, setResultAndStopExecution }) {
      const { document } = args;
      const variableValues = args.variableValues ?? {};
      const operationName = args.operationName ?? undefined;
      const { call, params } = context;
      call.operation = labelOf(document, operationName);
      try {
        const fields = assertWithinLimits(schema, document, operationName, variableValues);
        const operation = operationFor(document, operationName, fields);
        const uses = operation.uses(variableValues);
        call.notice = noticeOf(uses, call.base);
        if (!wantsExtension(params.extensions)) call.notice = { ...call.notice, extension: [] };
        admit(uses, { headers: call.headers, isStrict: wantsStrict(call.headers) }, byCoordinate);
        const issues = variableIssues(schema, document, operationName, variableValues);
        if (issues.length > 0) throw validationFailed(issues);
        setExecuteFn(({ contextValue }) => operation.run(variableValues, contextValue));
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

/** Writes integers exactly and every error in the same shape, whoever found it; and tells the caller of the gravest. */
function answersExactly(): Plugin<Context & ServerContext, ServerContext> {
  return {
    onResultProcess({ result, serverContext }) {
      if (Array.isArray(result) || !('errors' in result || 'data' in result)) return;
      const { errors, data } = result;
      const lifecycle = serverContext.call.notice?.extension ?? [];
      const answer = {
        ...(errors && { errors: errors.map(formatError) }),
        ...(data !== undefined && { data }),
        ...(lifecycle.length > 0 && { extensions: { lifecycle } }),
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
