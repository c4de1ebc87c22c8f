import type { GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { ServiceError } from '../errors.ts';
import type { HttpReply } from '../http/reply.ts';
import type { Admit } from '../lifecycle/admit.ts';
import { type Call, callOf, writeAnswer } from './call.ts';
import type { Context } from './context.ts';
import { formatError, refused, toClientError } from './errors.ts';
import { MOST_TOKENS } from './limits.ts';
import { KnownDocuments } from './operations.ts';
import { type GraphQLRequest, readParams } from './params.ts';
import { createRefuse, type Refuse } from './refusal.ts';
import { createTakeover } from './takeover.ts';

export interface GraphQLServerOptions {
  readonly schema: GraphQLSchema;
  readonly context: Context;
  /** The path it is served at. */
  readonly endpoint: string;
  readonly admit: Admit;
  /** The path of the page about deprecations and sunsets. */
  readonly lifecyclePage: string;
}

export interface GraphQLAnswer {
  readonly reply: HttpReply;
  /** The root field that the operation selects, or `several`: a label of few values. */
  readonly operation: string;
  /** The gravest failure in the answer. */
  readonly error: ServiceError | undefined;
}

/** The call goes with the request: to isolate a context of its own takes Yoga longer than all else that it does. */
const NO_CONTEXT = undefined as never;

/**
 * Yoga over the schema: exact integers in and out, operations that are compiled, and errors that a person can act on.
 */
export function createGraphQLServer(
  options: GraphQLServerOptions,
): (request: GraphQLRequest) => Promise<GraphQLAnswer> {
  const { schema, context, endpoint, admit, lifecyclePage } = options;
  const documents = new KnownDocuments(schema);
  const refuse = createRefuse(admit, lifecyclePage);
  const takeover = createTakeover(documents, refuse, context);
  const yoga = createYoga<object, Context>({
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
    // A document that cannot be parsed is cheap to refuse again, and its error would keep all of it in memory.
    parserAndValidationCache: { documentCache: documents, errorCache: { get: () => undefined, set: () => {} } },
    plugins: [takeover.plugin, readsExactly(), runsOperations(documents, refuse), answersExactly()],
  });

  class CallRequest extends yoga.fetchAPI.Request {
    readonly call: Call;
    /** So that the address is parsed only when something asks for a part of it. */
    readonly parsedUrl = undefined;

    constructor(call: Call) {
      const { method, search, headers } = call.request;
      super(`http://service${endpoint}?${search}`, { method, headers: negotiated(headers) });
      this.call = call;
    }
  }

  return async (request) => {
    const params = readParams(request);
    // Whoever asks for them is told of a failure.
    params.catch(() => {});
    const call: Call = { request, params, operation: 'none' };
    const response = await yoga.handleRequest(new CallRequest(call), NO_CONTEXT);
    const reply = call.reply ?? (await toReply(response, call));
    takeover.learn(request, reply);
    return { reply, operation: call.operation, error: call.error };
  };
}

/** What Yoga reads of the header fields. */
function negotiated(headers: GraphQLRequest['headers']): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of ['accept', 'content-type']) {
    const value = headers.get(name);
    if (value !== null) fields[name] = value;
  }
  return fields;
}

async function toReply(response: Response, { notice }: Call): Promise<HttpReply> {
  const headers = [...(notice?.headers ?? [])];
  response.headers.forEach((value, name) => {
    // The length is written where the answer is sent.
    if (name !== 'content-length') headers.push(name.toLowerCase(), value);
  });
  const body = await response.text();
  return { status: response.status, headers, body: body === '' ? null : body };
}

function readsExactly(): Plugin {
  return {
    onRequestParse({ request, setRequestParser }) {
      if (request.method === 'GET' || request.method === 'POST') {
        setRequestParser(() => callOf(request).params as Promise<GraphQLParams>);
      }
    },
  };
}

function runsOperations(documents: KnownDocuments, refuse: Refuse): Plugin {
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens: MOST_TOKENS }));
    },
    onValidate({ params: { documentAST } }) {
      return ({ valid }) => {
        if (!valid) documents.forget(documentAST);
      };
    },
    onExecute({ args, context: { request, params }, setExecuteFn, setResultAndStopExecution }) {
      const call = callOf(request);
      const variables = args.variableValues ?? {};
      try {
        const operation = documents.operationOf(args.document, args.operationName ?? undefined);
        call.operation = operation.label;
        const asked = { request: call.request, variables, extensions: params.extensions };
        const refusal = refuse(operation, asked, (notice) => {
          call.notice = notice;
        });
        if (refusal !== undefined) setResultAndStopExecution(refusal);
        else setExecuteFn(({ contextValue }) => operation.run(variables, contextValue));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        setResultAndStopExecution({ errors: [refused(error, { spec: true })] });
      }
    },
  };
}

/** Writes integers exactly and every error in the same shape, whoever found it; and tells the caller of the gravest. */
function answersExactly(): Plugin {
  return {
    onResultProcess({ request, result }) {
      if (Array.isArray(result) || !('errors' in result || 'data' in result)) return;
      const call = callOf(request);
      const { errors, data } = result;
      const answer = { ...(errors && { errors: errors.map(formatError) }), data };
      Object.assign(result, { stringify: () => writeAnswer(answer, call.notice) });
      const failures = (errors ?? []).flatMap(({ originalError }) =>
        originalError instanceof ServiceError ? [originalError] : [],
      );
      const [gravest] = failures.sort((one, other) => other.status - one.status);
      if (gravest !== undefined) call.error = gravest;
    },
  };
}
