import { OPEN_ACCESS } from '../../src/engine/auth/access.ts';
import { createAuthentication } from '../../src/engine/auth/authentication.ts';
import { createGraphQLServer } from '../../src/engine/graphql/server.ts';
import { originGuard } from '../../src/engine/http/cors.ts';
import type { IncomingRequest } from '../../src/engine/http/incoming.ts';
import type { HttpReply } from '../../src/engine/http/reply.ts';
import { annotatedIn } from '../../src/engine/lifecycle/annotated.ts';
import { createLifecycleEnforcement, type LifecycleRules } from '../../src/engine/lifecycle/enforcement.ts';
import { createConcurrencyLimiter } from '../../src/engine/limits/concurrency.ts';
import { CpuThrottle } from '../../src/engine/limits/cpu-throttle.ts';
import { Meter } from '../../src/engine/limits/meter.ts';
import { listCosts } from '../../src/engine/limits/units.ts';
import { createRestAdapter } from '../../src/engine/rest/adapter.ts';
import { compileRoutes } from '../../src/engine/rest/compile.ts';
import type { Context } from '../../src/engine/schema/context.ts';
import { bookRoutes, bookSchema } from './books.ts';
import { openExecutor } from './executor.ts';
import { defaultRules } from './rules.ts';

const base = 'https://books.example/v1';
// The resolvers of books use no context.
const context = {} as Context;
const concurrency = createConcurrencyLimiter(100, 10_000);
const authentication = createAuthentication(OPEN_ACCESS, concurrency, new CpuThrottle(1));
const costs = listCosts(() => []);

interface BookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly body: any;
}

type Fields = Readonly<Record<string, string>>;

/** Both protocols of the books, without sockets and without a database. */
export function openBookshop(rules: Partial<LifecycleRules> = {}) {
  /** The counted uses: coordinate and client. */
  const uses: string[] = [];
  const enforceLifecycle = createLifecycleEnforcement(
    { ...defaultRules, ...rules },
    annotatedIn(bookSchema),
    ({ coordinate }, client) => void uses.push(`${coordinate} ${client}`),
  );
  const executeOperation = openExecutor(context, concurrency, enforceLifecycle);
  const adapter = createRestAdapter({
    throttle: new CpuThrottle(10),
    endpoints: compileRoutes(bookSchema, bookRoutes),
    authentication,
    executeOperation,
    guardOrigin: originGuard([]),
    openStream: noStreams,
  });
  const server = createGraphQLServer({
    schema: bookSchema,
    authentication,
    executeOperation,
    introspection: true,
    suggestions: true,
    subscriptions: { open: noStreams, context, costs, logger: console },
  });

  const graphqlAnswer = (query: string, params: object = {}, fields: Fields = {}) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      'user-agent': 'test/1.0',
      ...fields,
    };
    return server(request('POST', '/graphql', headers, JSON.stringify({ query, ...params })));
  };

  return {
    uses,

    async rest(method: string, target: string, fields: Fields = {}, body?: unknown): Promise<BookAnswer> {
      const headers = {
        'user-agent': 'test/1.0',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...fields,
      };
      const text = body === undefined ? '' : JSON.stringify(body);
      const answer = await adapter(request(method, target, headers, text));
      if (answer === undefined) throw new Error(`There is no ${target}.`);
      return toAnswer(answer.reply);
    },

    graphqlAnswer,

    async graphql(query: string, params: object = {}, fields: Fields = {}): Promise<BookAnswer> {
      return toAnswer((await graphqlAnswer(query, params, fields)).reply);
    },
  };
}

async function noStreams(): Promise<never> {
  throw new Error('The books have no events.');
}

function toAnswer({ status, headers, body }: HttpReply): BookAnswer {
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]] as const] : []));
  return { status, headers: Object.fromEntries(pairs), body: body === null ? undefined : JSON.parse(String(body)) };
}

function request(method: string, target: string, headers: Fields, text: string): IncomingRequest {
  const [path = '', search = ''] = target.split('?');
  return {
    method,
    path,
    fullPath: path,
    search,
    headers: new Headers(headers),
    readBody: async () => Buffer.from(text),
    meter: new Meter('anybody', undefined, new CpuThrottle(1)),
    id: 'a-request',
    origin: base,
    base,
    isAborted: () => false,
    span: undefined,
    error: undefined,
  };
}
