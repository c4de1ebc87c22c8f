import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { type Call, callOf, forCaller, runCall, writeAnswer } from './call.ts';
import { toClientError } from './errors.ts';
import type { KnownDocuments } from './operations.ts';
import type { Refuse } from './refusal.ts';

/** Ends a request at the hook; the answer is kept beside it, because reading it from a `Response` would take time. */
const TAKEN_OVER = new Response(null);

type UsualParams = GraphQLParams & { readonly query: string };

/**
 * Takes over a request for an operation that has run before: its document is parsed, valid and measured, so that only
 * what depends on the request is left to do. Every refusal and failure goes on through the server as all others do.
 */
export function createTakeover(documents: KnownDocuments, refuse: Refuse): Plugin {
  return {
    async onRequest({ request, endResponse }) {
      const call = callOf(request);
      const params = await call.params.catch(() => undefined);
      if (params === undefined || !isUsual(params)) return;
      const result = await answer(call, params);
      call.result = result;
      if (result === undefined || result.errors !== undefined) return;
      const headers = [...(call.notice?.headers ?? []), 'content-type', `${call.mediaType}; charset=utf-8`];
      call.reply = { status: 200, headers, body: writeAnswer(result, call.notice) };
      endResponse(TAKEN_OVER);
    },
    onParams({ request, setResult }) {
      const { result } = callOf(request);
      if (result !== undefined) setResult(result);
    },
  };

  /** Undefined for an operation that is not known, or must not be asked for in this way. */
  async function answer(call: Call, { query, operationName, variables, extensions }: UsualParams) {
    const operation = documents.recall(query, operationName ?? undefined);
    if (operation === undefined || (operation.isMutation && call.request.method !== 'POST')) return undefined;
    call.operation = operation.label;
    const asked = { caller: call.caller, request: call.request, variables: variables ?? {}, extensions };
    const refusal = refuse(operation, asked, (notice) => {
      call.notice = notice;
    });
    if (refusal !== undefined) return refusal;
    try {
      return forCaller(call, await runCall(call, operation, asked.variables));
    } catch (error) {
      return { errors: [toClientError(error)] };
    }
  }
}

/** A request as most are: anything else is looked at by the server. */
function isUsual(params: GraphQLParams): params is UsualParams {
  const { query, operationName, variables, extensions, ...others } = params;
  for (const _ in others) return false;
  return (
    typeof query === 'string' &&
    (operationName == null || (typeof operationName === 'string' && operationName !== '')) &&
    isOptionalObject(variables) &&
    isOptionalObject(extensions)
  );
}

function isOptionalObject(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}
