import { parseJson, stringifyJson } from '../../src/engine/json.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { assertFollowsContract } from '../support/contract.ts';
import { assertConforms, type GraphQLAnswer } from './conforms.ts';
import type { GraphQLCase } from './graphql.ts';
import type { RestCase } from './rest.ts';
import type { Target } from './target.ts';

const { schema } = petStoreService;

/** The maximum time of a response, in milliseconds. */
const PATIENCE = 5_000;
const BASE = 'http://pets.example';

/** Sends cases to the service, and checks the responses against its descriptions; each check throws what is wrong. */
export function createChecks({ fetch, state, authorizationFor }: Pick<Target, 'fetch' | 'state' | 'authorizationFor'>) {
  let known = '';

  return {
    /** Reads the rows again, after they were changed by other means. */
    async look(): Promise<void> {
      known = await state();
    },

    /** @returns the status */
    async rest({ method, path, headers, body }: RestCase): Promise<number> {
      const isRead = method === 'GET' || method === 'HEAD';
      const request = { method, headers, ...(!isRead && body !== undefined && { body }) };
      const [response, text] = await send(path, request);
      if (response.status >= 500) throw new Error(`${response.status}: ${text}`);
      // A browser gets a page where other clients get JSON.
      const isPage = response.headers.get('content-type')?.startsWith('text/html');
      if (!isPage) assertFollowsContract(method, path, response, text);
      await compareState(isRead || response.status >= 300);
      if (!isRead && response.status < 300 && headers['idempotency-key'] !== undefined) {
        await assertReplayed(path, request, text);
      }
      return response.status;
    },

    /** @returns the status of the first error; without errors that of the response */
    async graphql(asked: GraphQLCase): Promise<number> {
      const { variables, isRepeated, headers, method } = asked;
      const [first, text] = await ask(asked);
      if (!isRepeated || first.data == null) return statusOf(first);
      const isKeyed = isChange(asked) && method === 'POST' && headers['idempotency-key'] !== undefined;
      const [again, textAgain] = await ask(asked, isKeyed);
      const isSame = isKeyed || (!isChange(asked) && !/lifecycle/.test(textOf(asked)));
      if (isSame && text !== textAgain) {
        throw new Error(`Asked again, it is another answer: ${text} and ${textAgain} to ${stringifyJson(variables)}`);
      }
      return statusOf(again);
    },
  };

  async function ask(asked: GraphQLCase, isReplay = false): Promise<[answer: GraphQLAnswer, text: string]> {
    const { method, query, variables, operationName } = asked;
    const params = { query, variables, ...(operationName !== undefined && { operationName }) };
    const headers = { 'content-type': 'application/json', ...asked.headers };
    const [response, text] =
      method === 'GET'
        ? await send(`/graphql?${searchOf(params)}`, { method, headers: asked.headers })
        : await send('/graphql', { method, headers, body: stringifyJson(params) });
    if (response.status >= 500) throw new Error(`${response.status}: ${text}`);
    const answer = parseJson(text);
    // As the service parses them: integers beyond the exact numbers stay exact.
    assertConforms(schema, { ...asked, variables: parseJson(stringifyJson(variables) ?? 'null') }, answer);
    assertTransport(response, answer, headers);
    await compareState(isReplay || !isChange(asked) || hasDoneNothing(answer));
    return [answer, text];
  }

  async function assertReplayed(path: string, request: RequestInit, first: string): Promise<void> {
    const [response, again] = await send(path, request);
    if (response.headers.get('idempotent-replayed') !== 'true' || again !== first) {
      throw new Error(`Sent again under its key, it is another answer: ${first} and ${again}`);
    }
    await compareState(true);
  }

  async function compareState(mustBeSame: boolean): Promise<void> {
    const before = known;
    known = await state();
    if (mustBeSame && known !== before) throw new Error(`It has changed something: ${before} -> ${known}`);
  }

  async function send(path: string, request: RequestInit): Promise<[response: Response, text: string]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`No answer within ${PATIENCE} ms.`)), PATIENCE);
    });
    const authorization = authorizationFor(`${request.method} ${path} ${request.body ?? ''}`);
    const headers = { ...(authorization !== undefined && { authorization }), ...(request.headers as object) };
    const answering = fetch(new Request(BASE + path, { ...request, headers }));
    try {
      return await Promise.race([
        answering.then(async (response) => [response, await response.text()] as const),
        late,
      ]).then(([response, text]) => [response, text]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The media type must be the requested one, and the status must follow GraphQL over HTTP. */
function assertTransport({ status, headers }: Response, answer: GraphQLAnswer, asked: Record<string, string>): void {
  const wanted = asked.accept?.startsWith('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json';
  const type = headers.get('content-type');
  if (type?.split(';')[0] !== wanted) throw new Error(`${wanted} was asked for, and ${type} came.`);
  if (!headers.has('x-request-id')) throw new Error('The response has no X-Request-Id.');
  const allowed = answer.errors?.map(({ extensions }) => extensions.status) ?? [];
  if ('data' in answer ? status === 200 : allowed.includes(status)) return;
  // With application/json a rejection has the status 200 too.
  if (wanted === 'application/json' && status === 200) return;
  throw new Error(`The status ${status} does not go with ${stringifyJson(answer)}`);
}

/** Whether nothing can have been changed: the request was rejected, or its only root field failed. */
function hasDoneNothing({ data, errors }: GraphQLAnswer): boolean {
  if (data === undefined) return true;
  return data === null && errors?.length === 1 && errors[0]?.path?.length === 1 && errors[0].path[0] === 'r0';
}

function isChange(asked: GraphQLCase): boolean {
  return asked.method === 'POST' && textOf(asked).includes('mutation');
}

/** The document, if it is text. */
function textOf({ query }: GraphQLCase): string {
  return typeof query === 'string' ? query : '';
}

function statusOf({ errors }: GraphQLAnswer): number {
  return errors?.[0]?.extensions.status ?? 200;
}

function searchOf(params: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : stringifyJson(value),
  ]);
  return new URLSearchParams(pairs.filter(([, value]) => value !== undefined) as [string, string][]).toString();
}
