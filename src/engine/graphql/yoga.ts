import {
  type ExecutionArgs,
  type ExecutionResult,
  FieldsOnCorrectTypeRule,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  SingleFieldSubscriptionsRule,
  type ValidationRule,
} from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { MAX_VALIDATION_ERRORS, ServiceError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { unitsOfDocument } from '../limits/units.ts';
import { assertLines, MAX_TOKENS } from '../operation/cost.ts';
import type { PreparedDocuments } from '../operation/documents.ts';
import type { PreparedOperation } from '../operation/prepared.ts';
import { tooComplex } from './comparable.ts';
import { rejected, toClientError, withoutStacks } from './errors.ts';
import { KnownFieldsRule, KnownOperationsRule, SubscriptionRootRule } from './rules.ts';

export interface PreparerOptions {
  readonly schema: GraphQLSchema;
  /** Whether introspection is allowed, and whether errors about misspelt names suggest names of the schema. */
  readonly introspection: boolean;
  readonly suggestions: boolean;
}

/** A request on its way through Yoga, and its operation. Yoga copies the context for each hook, so they share this. */
interface Preparing {
  readonly request: IncomingRequest;
  operation: PreparedOperation | undefined;
}

interface ServerContext {
  readonly preparing: Preparing;
}

/** Creates the preparer. Yoga parses and validates within the limits; prepared operations then run without Yoga. */
export function createPreparer(documents: PreparedDocuments, options: PreparerOptions) {
  const yoga = createYoga<ServerContext>({
    schema: options.schema,
    logging: false,
    maskedErrors: { maskError: (error) => toClientError(error) },
    // A document that cannot be parsed is cheap to reject again, and its error would keep all of it in memory.
    parserAndValidationCache: { documentCache: documents, errorCache: { get: () => undefined, set: () => {} } },
    plugins: [prepares(documents, options)],
  });

  return {
    fetchAPI: yoga.fetchAPI,

    /** The prepared operation of a new document, or the result with its errors. Throws if the parameters are wrong. */
    async prepare(request: IncomingRequest, params: GraphQLParams): Promise<PreparedOperation | ExecutionResult> {
      const preparing: Preparing = { request, operation: undefined };
      const ofYoga = new yoga.fetchAPI.Request('http://service', { method: request.method });
      const result = await yoga.getResultForParams({ params, request: ofYoga }, { preparing });
      return preparing.operation ?? (result as ExecutionResult);
    },
  };
}

/** The parts of Yoga's hooks around an execution that are the same for all kinds of operations. */
interface Execution {
  readonly args: Pick<ExecutionArgs, 'document' | 'operationName'>;
  readonly context: ServerContext & { readonly params: GraphQLParams };
  readonly setResultAndStopExecution: (result: ExecutionResult) => void;
}

function prepares(documents: PreparedDocuments, options: PreparerOptions): Plugin<ServerContext, ServerContext> {
  const { introspection, suggestions } = options;
  const replaced = new Map<ValidationRule, ValidationRule>([[SingleFieldSubscriptionsRule, SubscriptionRootRule]]);
  if (suggestions) replaced.set(FieldsOnCorrectTypeRule, KnownFieldsRule);
  const prepareInstead = ({ args, context, setResultAndStopExecution }: Execution) => {
    const { preparing, params } = context;
    try {
      preparing.operation = documents.prepare(params.query ?? '', args.document, args.operationName ?? undefined);
      setResultAndStopExecution({});
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      setResultAndStopExecution({ errors: [rejected(error, { spec: true })] });
    }
  };
  return {
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
        const error = tooComplex(document);
        if (error !== undefined) return [error];
        const ownRules = rules.map((rule: ValidationRule) => replaced.get(rule) ?? rule);
        const own = { ...limits, maxErrors: MAX_VALIDATION_ERRORS, hideSuggestions: !suggestions };
        return withoutStacks(() => validateFn(schema, document, ownRules, own));
      });
      return ({ valid }) => {
        if (!valid) documents.forget(documentAST);
      };
    },
    onSubscribe: prepareInstead,
    onExecute: prepareInstead,
  };
}
