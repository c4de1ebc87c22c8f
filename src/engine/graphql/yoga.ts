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

/** The settings for preparing documents. */
interface PreparerOptions {
  readonly schema: GraphQLSchema;
  /** The path of GraphQL. */
  readonly endpoint: string;
  /** Whether introspection is allowed, and whether errors about misspelt names suggest names of the schema. */
  readonly introspection: boolean;
  readonly suggestions: boolean;
}

/** Prepares new documents. */
interface Preparer {
  /** The prepared operation, or the result with the errors of the request. */
  prepare(request: GraphQLRequest, params: GraphQLParams | undefined): Promise<PreparedOperation | ExecutionResult>;
  readonly fetchAPI: FetchAPI;
}

/** A request on its way through Yoga, and its result. */
interface Preparing {
  readonly request: GraphQLRequest;
  readonly params: GraphQLParams | undefined;
  result: PreparedOperation | ExecutionResult | undefined;
}

/** Yoga copies the context for each hook, so the hooks share an object within it. */
interface ServerContext {
  readonly preparing: Preparing;
}

/** Creates the preparer. Yoga parses and validates within the limits; prepared operations then run without Yoga. */
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
        const ownRules = suggestions
          ? rules.map((rule: ValidationRule) => (rule === FieldsOnCorrectTypeRule ? KnownFieldsRule : rule))
          : rules;
        return validateFn(schema, document, ownRules, {
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
