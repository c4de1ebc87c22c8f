import type { GraphQLParams } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { stringifyJson } from '../json.ts';
import type { Context } from './builder.ts';
import { type Call, type ServerPlugin, withNotice } from './call.ts';
import { toClientError } from './errors.ts';
import type { KnownDocuments } from './operations.ts';
import type { GraphQLRequest } from './params.ts';
import type { Refuse } from './refusal.ts';

/** How many `Accept` fields are known, and how long they are. */
const MOST_ACCEPTS = 100;
const LONGEST_ACCEPT = 200;

type UsualParams = GraphQLParams & { readonly query: string };

/**
 * Takes over a request for an operation that has run before: its document is parsed, valid and compiled, so that only
 * what depends on the request is left to do. Every refusal and failure goes on through the server as all others do.
 */
export function createTakeover(documents: KnownDocuments, refuse: Refuse, context: Context) {
  const mediaTypes = new LRUCache<string, string>({ max: MOST_ACCEPTS });

  const plugin: ServerPlugin = {
    async onRequest({ serverContext: { call }, endResponse, fetchAPI }) {
      const params = await call.params.catch(() => undefined);
      const contentType = mediaTypes.get(acceptOf(call.request));
      if (params === undefined || contentType === undefined || !isUsual(params)) return;
      call.result = await answer(call, params);
      if (call.result === undefined || call.result.errors !== undefined) return;
      const body = stringifyJson(withNotice(call.result, call.notice));
      endResponse(new fetchAPI.Response(body, { status: 200, headers: { 'content-type': contentType } }));
    },
    onParams({ context: { call }, setResult }) {
      if (call.result !== undefined) setResult(call.result);
    },
  };

  return {
    plugin,
    /** Yoga negotiates: what it has answered to an `Accept` field once, is answered to it again. */
    learn(request: GraphQLRequest, contentType: string | undefined): void {
      const accept = acceptOf(request);
      if (contentType !== undefined && accept.length <= LONGEST_ACCEPT) mediaTypes.set(accept, contentType);
    },
  };

  /** Undefined for an operation that is not known, or must not be asked for in this way. */
  async function answer(call: Call, { query, operationName, variables, extensions }: UsualParams) {
    const operation = documents.recall(query, operationName ?? undefined);
    if (operation === undefined || (operation.isMutation && call.request.method !== 'POST')) return undefined;
    call.operation = operation.label;
    const asked = { request: call.request, variables: variables ?? {}, extensions };
    const refusal = refuse(operation, asked, (notice) => {
      call.notice = notice;
    });
    if (refusal !== undefined) return refusal;
    try {
      const result = await operation.run(asked.variables, context);
      return result.errors === undefined ? result : { ...result, errors: result.errors.map(toClientError) };
    } catch (error) {
      return { errors: [toClientError(error)] };
    }
  }
}

function acceptOf({ headers }: GraphQLRequest): string {
  return headers.get('accept') ?? '';
}

/** A request as most are: anything else is looked at by the server. */
function isUsual(params: GraphQLParams): params is UsualParams {
  const { query, operationName, variables, extensions, ...others } = params;
  for (const _ in others) return false;
  return (
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    isOptionalObject(variables) &&
    isOptionalObject(extensions)
  );
}

function isOptionalObject(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}
