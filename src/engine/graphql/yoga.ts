import {
  type ExecutionResult,
  FieldsOnCorrectTypeRule,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  type ValidationRule,
} from 'graphql';
import { createYoga, type FetchAPI, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { MAX_VALIDATION_ERRORS, ServiceError } from '../errors.ts';
import { unitsOfDocument } from '../limits/units.ts';
import { assertLines, MAX_TOKENS } from '../operation/cost.ts';
import type { PreparedDocuments } from '../operation/documents.ts';
import type { PreparedOperation } from '../operation/prepared.ts';
import { tooComplex } from './comparable.ts';
import { rejected, toClientError } from './errors.ts';
import { KnownFieldsRule } from './known-fields.ts';
import { KnownOperationsRule } from './operation-types.ts';
import type { GraphQLRequest } from './params.ts';

/** What documents are prepared with. */
interface PreparerOptions {
  readonly schema: GraphQLSchema;
  /** The path of GraphQL. */
  readonly endpoint: string;
  /** Whether the schema may be asked for, and whether a misspelt name is answered with those that it has. */
  readonly introspection: boolean;
  readonly suggestions: boolean;
}

/** Prepares documents that have not come before. */
interface Preparer {
  /** The operation that is asked for, or the result that says what is wrong with the request. */
  prepare(request: GraphQLRequest, params: GraphQLParams | undefined): Promise<PreparedOperation | ExecutionResult>;
  readonly fetchAPI: FetchAPI;
}

/** A request on its way through Yoga, and what has come of it. */
interface Preparing {
  readonly request: GraphQLRequest;
  readonly params: GraphQLParams | undefined;
  result: PreparedOperation | ExecutionResult | undefined;
}

/** Yoga gives each hook a context of its own, so what is shared lies within it. */
interface ServerContext {
  readonly preparing: Preparing;
}

/** Parses and validates by GraphQL Yoga, within the limits; what it prepares runs without it. */
export function createPreparer(documents: PreparedDocuments, options: PreparerOptions): Preparer {
  const { schema, endpoint } = options;
  const yoga = createYoga<ServerContext>({
    schema,
    graphqlEndpoint: endpoint,
    cors: false,
    multipart: false,
    landingPage: false,
    logging: false,
    maxRequestBodySize: false,
    maskedErrors: { maskError: (error) => toClientError(error) },
    graphiql: false,
    // A document that cannot be parsed is cheap to reject again, and its error would keep all of it in memory.
    parserAndValidationCache: { documentCache: documents, errorCache: { get: () => undefined, set: () => {} } },
    plugins: [prepares(documents, options)],
  });

  return {
    fetchAPI: yoga.fetchAPI,
    async prepare(request, params) {
      const preparing: Preparing = { request, params, result: undefined };
      await yoga.fetch(`http://service${endpoint}`, { method: request.method }, { preparing });
      return preparing.result as PreparedOperation | ExecutionResult;
    },
  };
}

function prepares(documents: PreparedDocuments, options: PreparerOptions): Plugin<ServerContext, ServerContext> {
  const { introspection, suggestions } = options;
  return {
    onRequestParse({ request, serverContext, setRequestParser }) {
      if (request.method === 'GET' || request.method === 'POST') {
        setRequestParser(() => serverContext.preparing.params as GraphQLParams);
      }
    },
    onParse({ context: { preparing, params }, parseFn, setParseFn }) {
      setParseFn((source, parsing) => {
        const text = params.query ?? '';
        preparing.request.meter.charge(unitsOfDocument(text));
        assertLines(text);
        return parseFn(source, { ...parsing, maxTokens: MAX_TOKENS });
      });
    },
    onValidate({ params: { documentAST }, validateFn, setValidationFn, addValidationRule }) {
      addValidationRule(KnownOperationsRule);
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn((schema, document, rules, limits) => {
        const tooMuch = tooComplex(document);
        if (tooMuch !== undefined) return [tooMuch];
        const known = suggestions
          ? rules.map((rule: ValidationRule) => (rule === FieldsOnCorrectTypeRule ? KnownFieldsRule : rule))
          : rules;
        return validateFn(schema, document, known, {
          ...limits,
          maxErrors: MAX_VALIDATION_ERRORS,
          hideSuggestions: !suggestions,
        });
      });
      return ({ valid }) => {
        if (!valid) documents.forget(documentAST);
      };
    },
    onExecute({ args, context: { preparing, params }, setResultAndStopExecution }) {
      try {
        preparing.result = documents.prepare(params.query ?? '', args.document, args.operationName ?? undefined);
        setResultAndStopExecution({});
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        setResultAndStopExecution({ errors: [rejected(error, { spec: true })] });
      }
    },
    onResultProcess({ result, serverContext }) {
      serverContext.preparing.result ??= result as ExecutionResult;
    },
  };
}
