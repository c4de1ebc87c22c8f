import { pino } from 'pino';
import type { Database } from '../../src/engine/db/client.ts';
import { listen } from '../../src/engine/http/listen.ts';
import { parseJson, stringifyJson } from '../../src/engine/json.ts';
import type { LifecycleRules } from '../../src/engine/lifecycle/enforcement.ts';
import { steadyTime } from '../../src/engine/limits/rate.ts';
import { createApp } from '../../src/engine/service.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { accessFrom } from '../../src/process/access.ts';
import { createMetrics } from '../../src/process/metrics.ts';
import type { Settings } from '../../src/process/settings.ts';
import { assertFollowsContract } from './contract.ts';
import { openTestDatabase } from './database.ts';
import { defaultRules, defaultSettings } from './rules.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON with exact integers; undefined for no body. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly body: any;
  readonly text: string;
}

export interface RestOptions {
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GraphQLAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly data: any;
  readonly errors:
    | readonly { message: string; path?: readonly unknown[]; extensions: Readonly<Record<string, unknown>> }[]
    | undefined;
}

export interface TestApp {
  readonly database: Database;
  /** The names of the statements since it was last emptied, except for those that no request waits for. */
  readonly statements: string[];
  fetch(request: Request): Promise<Response>;
  /** Sends a request, and checks the response against the committed contract. */
  rest(method: string, path: string, options?: RestOptions): Promise<RestAnswer>;
  graphql(query: string, variables?: Readonly<Record<string, unknown>>): Promise<GraphQLAnswer>;
  /** Starts the counting of uses, as the start of the service does. */
  begin(): Promise<void>;
  /** Stores the counted uses. */
  flush(): Promise<void>;
  dispose(): Promise<void>;
  /** Serves it on a free port of this machine until it is disposed of; gives its address. */
  listen(): Promise<string>;
}

/**
 * The app over a database of its own, called without sockets.
 *
 * @param through wraps the database for the app and its authentication
 * @param clock the clock of the rate limit, in milliseconds
 */
export async function startTestApp(
  settings: Partial<Settings> = {},
  rules: Partial<LifecycleRules> = {},
  through: (database: Database) => Database = (database) => database,
  clock = steadyTime,
  logger = pino({ level: 'silent' }),
): Promise<TestApp> {
  const statements: string[] = [];
  const opened = await openTestDatabase({ statement: note, batch: () => {} });
  const database = through(opened.database);
  const app = createApp({
    application: petStoreService,
    database,
    settings: { ...defaultSettings, ...settings },
    access: await accessFrom({ ...defaultSettings, ...settings }, database, petStoreService.name),
    rules: { ...defaultRules, ...rules },
    metrics: createMetrics(),
    logger,
    clock,
  });
  const path = settings.BASE_PATH ?? '';
  const base = `http://pets.example${path}`;
  let stopListening = async () => {};
  const send = (method: string, path: string, { body, headers = {} }: RestOptions) =>
    app.fetch(
      new Request(base + path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : stringifyJson(body) }),
      }),
    );
  function note(name: string): void {
    if (isWaitedFor(name)) statements.push(name);
  }

  return {
    database: opened.database,
    statements,
    fetch: app.fetch,
    async rest(method, path, options = {}) {
      const response = await send(method, path, options);
      const text = await response.text();
      assertFollowsContract(method, path, response, text);
      const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
      return { status: response.status, headers: response.headers, body: isJson ? parseJson(text) : undefined, text };
    },
    async graphql(query, variables) {
      const response = await send('POST', '/graphql', { body: { query, variables } });
      const { data, errors } = parseJson(await response.text()) as GraphQLAnswer;
      return { status: response.status, headers: response.headers, data, errors };
    },
    begin: app.begin,
    flush: app.flush,
    async dispose() {
      await stopListening();
      await opened.dispose();
    },
    async listen() {
      const { port, drain } = await listen(app.listener, { host: '127.0.0.1', port: 0, stall: 40_000 });
      stopListening = () => drain(0);
      return `http://127.0.0.1:${port}${path}`;
    },
  };
}

/** Whether requests wait for the statement: the others run some time after them, or now and then. */
export function isWaitedFor(statement: string): boolean {
  return !/^(lifecycle\.addUses|events\.(publish|deleteOld)|delivery\..*|tables\.sizes|idempotency\.forget)$/.test(
    statement,
  );
}
