import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Application, createApp, gql, OPEN_ACCESS, ok, route } from '../../src/engine/index.ts';
import { hasCommonTests, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { defaultSettings } from '../support/rules.ts';
import { settingsFor, withService } from '../support/service.ts';
import { bookshop, seedBooks } from './shop.ts';

let opened: TestDatabase;
let app: ReturnType<typeof createApp>;

function create(application: Application) {
  return createApp({
    application,
    database: opened.database,
    access: OPEN_ACCESS,
    rules: { clock: () => new Date(), isRehearsal: false, sunset: 'announce', brownouts: [] },
    metrics: {
      use() {},
      request() {},
      published() {},
      streams() {},
      delivery() {},
      undelivered() {},
      render: async () => ({ contentType: 'text/plain', text: '' }),
    },
    logger: pino({ level: 'silent' }),
    settings: { ...defaultSettings, BASE_PATH: '/v1', RATE_LIMIT: { units: 1_000, seconds: 60 } },
  });
}

beforeAll(async () => {
  opened = await openTestDatabase();
  await seedBooks(opened.database);
  app = create(bookshop);
  await app.begin();
});
afterAll(async () => {
  await app.flush();
  await opened.dispose();
});

async function send(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await app.fetch(
    new Request(`https://books.example/v1${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('another application on the engine', () => {
  test('has paged lists with links to the next page', async () => {
    const { headers, text } = await send('GET', '/books?limit=2');
    expect(JSON.parse(text)).toEqual([
      { id: 1, title: 'Emma' },
      { id: 2, title: 'Persuasion' },
    ]);
    const [, next = ''] = /<[^>]+\/v1([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    expect(JSON.parse((await send('GET', next)).text)).toEqual([{ id: 3, title: 'Ulysses' }]);
  });

  test('returns a number if its schema does', async () => {
    // Without an ETag, so that the client's is not compared.
    const { status, text } = await send('GET', '/book-count', undefined, { 'if-none-match': '"1"' });
    expect([status, JSON.parse(text) >= 3]).toEqual([200, true]);
  });

  test('has idempotency keys, versions, lifecycle header fields and rate limits', async () => {
    const key = { 'idempotency-key': 'a-book' };
    const first = await send('POST', '/books', { title: 'Middlemarch' }, key);
    const second = await send('POST', '/books', { title: 'Middlemarch' }, key);
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('api-stability')).toBe('beta');
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=/);
    const { id } = JSON.parse(first.text);
    expect((await send('DELETE', `/books/${id}`, undefined, { 'if-match': '"9"' })).status).toBe(412);
    expect((await send('DELETE', `/books/${id}`, undefined, { 'if-match': '"1"' })).status).toBe(204);
    expect((await send('GET', `/books/${id}`)).status).toBe(404);
  });

  test('returns validation errors', async () => {
    const { status, text } = await send('POST', '/books', { titel: 'Emma' });
    expect([status, JSON.parse(text).code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  test('stores decimal numbers exactly, and rejects what their column does not take', async () => {
    const created = await send('POST', '/books', { title: 'Cranford', price: '123456.7' });
    expect([created.status, JSON.parse(created.text).price]).toEqual([201, '123456.70']);
    const path = `/books/${JSON.parse(created.text).id}`;
    for (const price of ['abc', '', '1234567', '0.001', '1e3', 'NaN', '8.50\n']) {
      const { status, text } = await send('PATCH', path, { price });
      expect([status, JSON.parse(text).message], price).toEqual([
        422,
        'price must be a decimal number with at most 6 digits before the point and 2 after it.',
      ]);
    }
    const negative = await send('PATCH', path, { price: '-123456.78' });
    expect(JSON.parse(negative.text).price).toBe('-123456.78');
    await send('DELETE', path);
  });

  test('serves the same schema as GraphQL', async () => {
    const query = '{ books(first: 1) { nodes { title } totalCount } lifecycle { coordinate operation } }';
    const { data } = JSON.parse((await send('POST', '/graphql', { query })).text);
    expect(data.books.nodes).toEqual([{ title: 'Emma' }]);
    expect(data.lifecycle).toContainEqual({ coordinate: 'Mutation.createBook', operation: 'POST /books' });
  });

  test('has its own name on its pages and in its descriptions', async () => {
    const html = { accept: 'text/html' };
    for (const path of ['/', '/lifecycle', '/reference', '/graphql', '/nothing']) {
      const { text } = await send('GET', path, undefined, html);
      expect(text, path).toMatch(/<title>Bookshop/);
      expect(text, path).not.toMatch(/pet/i);
    }
    const document = JSON.parse((await send('GET', '/openapi.json')).text);
    expect(document.info.title).toBe('Bookshop');
    expect(Object.keys(document.paths)).toEqual(['/books', '/books/{bookId}', '/book-count', '/lifecycle']);
    expect(JSON.stringify(document)).not.toMatch(/\bpets?\b/i);
  });

  test.each([
    ['/metrics', '/metrics', gql`query measure { bookCount }`],
    [
      '/{bookId}',
      '/graphql',
      gql`query short($bookId: Int64!) { book(bookId: $bookId) { ...Book } } fragment Book on Book { id title price }`,
    ],
  ])('does not start with the route %s, which hides %s', (path, hidden, operation) => {
    const routes = [route('GET', path, { tag: 'Books', operation, reply: ok() })];
    const resources = bookshop.resources.map((one) => ({ ...one, routes: [...one.routes, ...routes] }));
    expect(() => create({ ...bookshop, resources })).toThrow(`The route ${path} hides ${hidden}, which`);
  });

  if (hasCommonTests) {
    test('is a program of its own, with its settings, health checks and metrics', async () => {
      const { database, location, dispose } = await openTestDatabase();
      await seedBooks(database).finally(() => database.close());
      const settings = { ...settingsFor(location), NODE_OPTIONS: '--import tsx', RATE_LIMIT: '100/60s' };
      await withService(
        settings,
        async ({ base }) => {
          const books = await fetch(`${base}/books?limit=1`);
          expect(await books.json()).toEqual([{ id: 1, title: 'Emma' }]);
          expect(books.headers.get('ratelimit-policy')).toBe('"default";q=100;w=60');
          expect((await fetch(`${base}/readyz`)).status).toBe(200);
          expect(await (await fetch(`${base}/metrics`)).text()).toContain('operation="listBooks"');
        },
        'test/bookshop/main.ts',
      ).finally(dispose);
    });
  }

  test('imports from the engine only its public API and db', () => {
    const source = ['shop.ts', 'main.ts', 'bookshop.test.ts'].map((name) =>
      readFileSync(new URL(name, import.meta.url), 'utf8'),
    );
    const imported = source.flatMap((text) => [...text.matchAll(/from '.*\/engine\/(.+)'/g)].map(([, file]) => file));
    expect(imported.filter((file) => !/^(index\.ts|db\/)/.test(file ?? ''))).toEqual([]);
  });
});
