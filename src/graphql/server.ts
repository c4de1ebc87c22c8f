import {
  FieldsOnCorrectTypeRule,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  type ValidationRule,
} from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { ANONYMOUS } from '../auth/access.ts';
import { isForGood, MOST_ISSUES, ServiceError } from '../errors.ts';
import type { HttpReply } from '../http/reply.ts';
import type { Idempotency } from '../idempotency/run.ts';
import type { Admit } from '../lifecycle/admit.ts';
import { type ListCosts, loadOf, UNITS_OF_KEY, unitsOfDocument } from '../limits/charge.ts';
import type { Entrance } from '../limits/entrance.ts';
import type { Gate } from '../limits/gate.ts';
import { Pace } from '../limits/pace.ts';
import { callWithin } from '../tracing/span.ts';
import { type Call, callOf, forCaller, newCall, runCall, writeAnswer } from './call.ts';
import { incomparable } from './comparable.ts';
import type { Context } from './context.ts';
import { formatError, refused, toClientError } from './errors.ts';
import { KeyedCall, type KeyedMutation, keyedMutation } from './keyed.ts';
import { KnownFieldsRule } from './known-fields.ts';
import { assertLines, LARGEST_ANSWER, MOST_TOKENS } from './limits.ts';
import { JSON_TYPE, mediaTypeReader } from './media-type.ts';
import { KnownOperationsRule } from './operation-types.ts';
import { KnownDocuments } from './operations.ts';
import { type GraphQLRequest, readParams } from './params.ts';
import { createRefuse, type Refuse } from './refusal.ts';
import { createTakeover } from './takeover.ts';

/** What the server is made of. */
export interface GraphQLServerOptions {
  readonly schema: GraphQLSchema;
  readonly context: Context;
  /** The path it is served at. */
  readonly endpoint: string;
  readonly entrance: Entrance;
  readonly gate: Gate;
  readonly admit: Admit;
  readonly idempotency: Idempotency;
  /** What lists cost; the least where that is not told. */
  readonly costs?: ListCosts;
  /** The path of the page about deprecations and sunsets. */
  readonly lifecyclePage: string;
  /** Whether the schema may be asked for, and whether a misspelt name is answered with those that it has. */
  readonly introspection: boolean;
  readonly suggestions: boolean;
}

/** An answer, with its labels for metrics and the log. */
export interface GraphQLAnswer {
  readonly reply: HttpReply;
  /** The root field that the operation selects, or `several`: a label of few values. */
  readonly operation: string;
  /** The gravest failure in the answer. */
  readonly error: ServiceError | undefined;
}

/** How many characters of documents that are not known are read at once for a caller. */
const CHARACTERS_AT_ONCE = 4_000;

/** For what has been let in already. */
const OPEN_GATE: Call['gate'] = { run: async (work) => work(() => true) };

/** The call goes with the request: to isolate a context of its own takes Yoga longer than all else that it does. */
const NO_CONTEXT = undefined as never;

/**
 * Yoga over the schema: exact integers in and out, operations that are compiled, and errors that a person can act on.
 */
export function createGraphQLServer(
  options: GraphQLServerOptions,
): (request: GraphQLRequest) => Promise<GraphQLAnswer> {
  const { schema, context, endpoint, entrance, gate, admit, idempotency, lifecyclePage } = options;
  const documents = new KnownDocuments(schema, options.introspection ? 'told' : 'kept', options.costs);
  const refuse = createRefuse(entrance, admit, lifecyclePage);
  const usually = () => context;
  const takeover = createTakeover(documents, refuse);
  const mediaTypeFor = mediaTypeReader();
  const pace = new Pace(CHARACTERS_AT_ONCE);
  const yoga = createYoga<object, Context>({
    schema,
    context: () => context,
    graphqlEndpoint: endpoint,
    cors: false,
    multipart: false,
    landingPage: false,
    logging: false,
    maxRequestBodySize: false,
    maskedErrors: { maskError: (error) => toClientError(error) },
    graphiql: false,
    // A document that cannot be parsed is cheap to refuse again, and its error would keep all of it in memory.
    parserAndValidationCache: { documentCache: documents, errorCache: { get: () => undefined, set: () => {} } },
    plugins: [takeover, readsExactly(), runsOperations(documents, refuse, options), answersExactly()],
  });

  class CallRequest extends yoga.fetchAPI.Request {
    readonly call: Call;
    /** So that the address is parsed only when something asks for a part of it. */
    readonly parsedUrl = undefined;

    constructor(call: Call) {
      const { method, search, headers } = call.request;
      const contentType = headers.get('content-type');
      super(`http://service${endpoint}?${search}`, {
        method,
        headers: { accept: call.mediaType, ...(contentType !== null && { 'content-type': contentType }) },
      });
      this.call = call;
    }
  }

  return async (request) => {
    const wanted = mediaTypeFor(request.headers.get('accept'));
    const mediaType = wanted ?? JSON_TYPE;
    try {
      const entering = entrance.enter(request);
      const caller = entering instanceof Promise ? await entering : entering;
      if (wanted === undefined) throw notAcceptable();
      // Not before: no body is read for a caller that is rejected or has used up its units.
      const params = readParams(request, (bytes) => entrance.takeBody(request, bytes)).then((read) =>
        inTurn(request, read),
      );
      // A failure is handled where they are awaited.
      params.catch(() => {});
      const asked = { request, mediaType, caller, mayRead: entrance.mayRead(caller), params };
      if (request.headers.get('idempotency-key') !== null) {
        const keyed = keyedMutation(asked, await params, documents);
        if (keyed !== undefined) {
          entrance.charge(request, UNITS_OF_KEY);
          return await gate.run(() => answerOnce(keyed, asked), loadOf(request, 'change'));
        }
      }
      return await answer(newCall(asked, gate, usually));
    } catch (error) {
      const failed = { request, mediaType, caller: ANONYMOUS, mayRead: false, params: rejected(error) };
      return answer(newCall(failed, gate, usually));
    }
  };

  /** Documents that are not known take long to read: of each caller some are read at a time, and what others have sent in between. */
  function inTurn(request: GraphQLRequest, params: GraphQLParams | undefined) {
    const query = params?.query;
    if (typeof query !== 'string' || documents.get(query) !== undefined) return params;
    return pace.next(request.account ?? '', query.length)?.then(() => params) ?? params;
  }

  async function answer(call: Call): Promise<GraphQLAnswer> {
    const response = await yoga.handleRequest(new CallRequest(call), NO_CONTEXT);
    const reply = call.reply ?? (await toReply(response, call));
    // What the greatest lengths cannot tell, such as of introspection, or of characters that are escaped.
    if (isTooLong(reply)) return answer(newCall({ ...call, params: rejected(tooLong()) }, gate, usually));
    return { reply, operation: call.operation, error: call.error };
  }

  /**
   * What a failure has left half done, and what may be tried again, is undone whole: the answer is that failure alone.
   * The caller waits until the transaction ends, so all of it counts as one request in progress.
   */
  async function answerOnce(keyed: KeyedMutation, asked: Parameters<typeof newCall>[0]) {
    const once = new KeyedCall(idempotency, keyed);
    const call = newCall(asked, OPEN_GATE, () => callWithin(asked.request, () => once.begin()));
    const answered = await answer(call);
    const { reply, error, operation } = answered;
    if (once.replay !== undefined) return { reply: once.replay, operation, error: undefined };
    if (!once.hasBegun) return answered;
    if (error !== undefined && !isForGood(error)) await once.undo(error);
    return { ...answered, reply: await once.end({ reply, isFinal: true, needsRead: call.needsRead }) };
  }
}

function rejected(error: unknown): Promise<never> {
  const rejection = Promise.reject(error);
  rejection.catch(() => {});
  return rejection;
}

function isTooLong({ body }: HttpReply): boolean {
  return typeof body === 'string' && body.length > LARGEST_ANSWER / 4 && Buffer.byteLength(body) > LARGEST_ANSWER;
}

function tooLong(): ServiceError {
  return new ServiceError(
    'INVALID_ARGUMENT',
    `The answer has more than ${LARGEST_ANSWER} bytes (8 MiB). Request less.`,
  );
}

/** Before anything is done: the server itself would find out afterwards. */
function notAcceptable(): ServiceError {
  const message = `Answers are ${JSON_TYPE} or application/graphql-response+json, and the Accept field excludes both.`;
  return new ServiceError('NOT_ACCEPTABLE', message);
}

async function toReply(response: Response, { notice }: Call): Promise<HttpReply> {
  const headers = [...(notice?.headers ?? [])];
  response.headers.forEach((value, field) => {
    const name = field.toLowerCase();
    // That is written where answers are sent.
    if (name !== 'content-length') headers.push(name, value);
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

type Told = Pick<GraphQLServerOptions, 'introspection' | 'suggestions' | 'entrance'>;

function runsOperations(documents: KnownDocuments, refuse: Refuse, told: Told): Plugin {
  const { introspection, suggestions, entrance } = told;
  return {
    onParse({ context: { request, params }, parseFn, setParseFn }) {
      setParseFn((source, options) => {
        const call = callOf(request);
        const text = params.query ?? '';
        entrance.charge(call.request, unitsOfDocument(text));
        assertLines(text);
        return parseFn(source, { ...options, maxTokens: MOST_TOKENS });
      });
    },
    onValidate({ params: { documentAST }, validateFn, setValidationFn, addValidationRule }) {
      addValidationRule(KnownOperationsRule);
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn((schema, document, rules, limits) => {
        const tooMuch = incomparable(document);
        if (tooMuch !== undefined) return [tooMuch];
        const known = suggestions
          ? rules.map((rule: ValidationRule) => (rule === FieldsOnCorrectTypeRule ? KnownFieldsRule : rule))
          : rules;
        return validateFn(schema, document, known, {
          ...limits,
          maxErrors: MOST_ISSUES,
          hideSuggestions: !suggestions,
        });
      });
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
        const asked = { caller: call.caller, request: call.request, variables, extensions: params.extensions };
        const refusal = refuse(operation, asked, (notice) => {
          call.notice = notice;
        });
        if (refusal !== undefined) setResultAndStopExecution(refusal);
        else {
          setExecuteFn(async () => forCaller(call, await runCall(call, operation, variables)));
        }
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        setResultAndStopExecution({ errors: [refused(error, { spec: true })] });
      }
    },
  };
}

/** Serializes integers exactly and all errors in the same shape, and passes the gravest one on. */
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
      call.needsRead = failures.some(({ namesStored }) => namesStored);
      // One that may be over soon is told before those that are for good: all of it may be tried again.
      const [gravest] = failures.sort(
        (one, other) => Number(isForGood(one)) - Number(isForGood(other)) || other.status - one.status,
      );
      if (gravest !== undefined) call.error = gravest;
    },
  };
}
