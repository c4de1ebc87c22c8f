import type { Context } from '../../src/graphql/context.ts';
import { createGraphQLServer } from '../../src/graphql/server.ts';
import { createAdmit } from '../../src/lifecycle/admit.ts';
import { createGuard, type LifecycleRules } from '../../src/lifecycle/guard.ts';
import { markedIn } from '../../src/lifecycle/marked.ts';
import { createRestAdapter } from '../../src/rest/adapter.ts';
import { compileRoutes } from '../../src/rest/compile.ts';
import { bookRoutes, bookSchema } from './books.ts';
import { usualRules } from './rules.ts';

const base = 'https://books.example/v1';
const address = (path: string) => base + path;
// The resolvers of books need none of what the rooms' resolvers are given.
const context = {} as Context;

export interface BookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly body: any;
}

type Fields = Readonly<Record<string, string>>;

/** Both faces of the books, without sockets and without a database. */
export function openBookshop(rules: Partial<LifecycleRules> = {}) {
  /** The uses that were counted: coordinate and client. */
  const uses: string[] = [];
  const guard = createGuard({ ...usualRules, ...rules }, markedIn(bookSchema));
  const admit = createAdmit(guard, ({ coordinate }, client) => void uses.push(`${coordinate} ${client}`));
  const adapter = createRestAdapter(compileRoutes(bookSchema, bookRoutes, '/lifecycle'), context, admit);
  const endpoint = '/graphql';
  const server = createGraphQLServer({ schema: bookSchema, context, endpoint, admit, lifecyclePage: '/lifecycle' });

  return {
    uses,

    async rest(method: string, target: string, fields: Fields = {}, body?: unknown): Promise<BookAnswer> {
      const [path = '', search = ''] = target.split('?');
      const headers = {
        'user-agent': 'test/1.0',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...fields,
      };
      const text = body === undefined ? '' : JSON.stringify(body);
      const reply = await adapter({ ...request(headers, text), method, path, search, address });
      if (reply === undefined) throw new Error(`There is no ${path}.`);
      const { status, headers: answered, body: content } = reply;
      return { status, headers: answered, body: content === null ? undefined : JSON.parse(String(content)) };
    },

    async graphql(query: string, params: object = {}, fields: Fields = {}): Promise<BookAnswer> {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json',
        'user-agent': 'test/1.0',
        ...fields,
      };
      const asked = { ...request(headers, JSON.stringify({ query, ...params })), method: 'POST', search: '', base };
      const { reply } = await server(asked);
      return { status: reply.status, headers: reply.headers, body: JSON.parse(String(reply.body)) };
    },
  };
}

function request(headers: Fields, text: string) {
  return { headers: new Headers(headers), readBody: async () => Buffer.from(text) };
}
