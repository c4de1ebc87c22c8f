import {
  type DocumentNode,
  type ExecutionResult,
  FieldsOnCorrectTypeRule,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  KnownArgumentNamesRule,
  NoSchemaIntrospectionCustomRule,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  type ValidationRule,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { MAX_VALIDATION_ERRORS, ServiceError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { unitsOfDocument } from '../limits/units.ts';
import { assertLines, MAX_TOKENS } from '../operation/cost.ts';
import type { PreparedDocuments } from '../operation/documents.ts';
import type { PreparedOperation } from '../operation/prepared.ts';
import { show } from '../schema/input.ts';
import { toClientError, withoutStacks } from './errors.ts';
import type { GraphQLParams } from './params.ts';
import { KnownArgumentsRule, KnownFieldsRule, KnownOperationsRule, SubscriptionRootRule } from './rules.ts';
import { assertSimple } from './validation-cost.ts';

export interface PreparerOptions {
  readonly schema: GraphQLSchema;
  /** Whether introspection is allowed, and whether errors about misspelt names suggest names of the schema. */
  readonly introspection: boolean;
  readonly suggestions: boolean;
}

/** Creates the preparer. Yoga parses and validates within the limits; prepared operations then run without Yoga. */
export function createPreparer(documents: PreparedDocuments, { schema, introspection, suggestions }: PreparerOptions) {
  const replaced = new Map<ValidationRule, ValidationRule>([[SingleFieldSubscriptionsRule, SubscriptionRootRule]]);
  if (suggestions) {
    replaced.set(FieldsOnCorrectTypeRule, KnownFieldsRule).set(KnownArgumentNamesRule, KnownArgumentsRule);
  }
  const rules = [...specifiedRules.map((rule) => replaced.get(rule) ?? rule), KnownOperationsRule];
  if (!introspection) rules.push(NoSchemaIntrospectionCustomRule);
  const limits = { maxErrors: MAX_VALIDATION_ERRORS, hideSuggestions: !suggestions };
  const plugin: Plugin = {
    onParse({ context: { params, request }, parseFn, setParseFn }) {
      setParseFn((source, parsing) => parseFn(source, { ...parsing, maxTokens: MAX_TOKENS }));
      return ({ result }) => {
        if (result !== null && 'definitions' in result) assertOperation(result, params.operationName, request.method);
      };
    },
    onValidate({ validateFn, setValidationFn }) {
      setValidationFn((_, document) => {
        return withoutStacks(() => {
          assertSimple(document);
          return validateFn(schema, document, rules, limits);
        });
      });
    },
  };
  // The cache of prepared documents keeps valid ones alone: an error would keep all of its document in memory.
  const yoga = createYoga({ schema, logging: false, parserAndValidationCache: false, plugins: [plugin] });

  /** The prepared operation of a new document, or the result with its errors. Throws if it is not parsed, or too complex. */
  return ({ method, meter }: IncomingRequest, params: GraphQLParams): PreparedOperation | ExecutionResult => {
    meter.charge(unitsOfDocument(params.query));
    assertLines(params.query);
    const { parse, validate } = yoga.getEnveloped({ request: { method }, params });
    const document = parse(params.query);
    const errors = validate(schema, document);
    if (errors.length > 0) return { errors: withoutStacks(() => errors.map((error: unknown) => toClientError(error))) };
    try {
      return documents.prepare(params.query, document, params.operationName);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { errors: [error] };
    }
  };
}

function assertOperation(document: DocumentNode, wanted: string | undefined, method: string): void {
  const operation = getOperationAST(document, wanted);
  if (!operation) throw new ServiceError('INVALID_ARGUMENT', wrongOperation(document, wanted));
  if (operation.operation !== 'mutation' || method === 'POST') return;
  const message = 'A mutation must be sent by POST.';
  throw new ServiceError('METHOD_NOT_ALLOWED', message, { headers: { allow: 'POST' } });
}

/** Says which operations a document has when it does not have the wanted one. */
function wrongOperation(document: DocumentNode, wanted: string | undefined): string {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const names = operations.flatMap(({ name }) => name?.value ?? []);
  if (operations.length === 0) return 'The document has no operation.';
  if (names.length === 0) return 'The operation of the document has no name: leave out operationName.';
  const has = wanted === undefined ? 'several operations' : `no operation ${show(wanted)}`;
  return `The document has ${has}: operationName must be one of ${[...new Set(names)].join(', ')}.`;
}
