import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWaitedFor } from '../support/app.ts';
import type { Service } from '../support/service.ts';
import {
  attributesOf,
  CLIENT,
  newTrace,
  PARENT,
  resources,
  SERVER,
  type SentSpan,
  spans,
  spansOf,
  startCollector,
  startTraced,
  TRACE,
} from './collector.ts';
import { makeDatabase } from './processes.ts';

startCollector();
makeDatabase();

/** The number of executions of each statement for requests. */
async function statementsRun(service: Service): Promise<ReadonlyMap<string, number>> {
  const metrics = await (await fetch(`${service.base}/metrics`)).text();
  const counts = metrics.matchAll(/^db_statement_duration_seconds_count\{statement="([^"]+)"\} (\d+)$/gm);
  const all = [...counts].map(([, name = '', count]) => [name, Number(count)] as const);
  return new Map(all.filter(([name]) => isWaitedFor(name)));
}

/** The names of the statements executed since then, each as often as it was executed. */
function subtract(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): readonly string[] {
  return [...now].flatMap(([name, count]) => Array(count - (before.get(name) ?? 0)).fill(name)).sort();
}

describe('with an OTLP endpoint', () => {
  let service: Service;
  beforeAll(async () => {
    const resource = {
      OTEL_SERVICE_NAME: 'shop',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    };
    service = await startTraced({ ...resource, LOG_LEVEL: 'debug' });
  });
  afterAll(() => service?.stop());

  test("the span of a request has its caller's tracestate", async () => {
    const traceId = newTrace();
    await fetch(`${service.base}/pets/1`, {
      headers: { traceparent: `00-${traceId}-${PARENT}-01`, tracestate: 'vendor=1,other=2' },
    });
    const request = (await spansOf(traceId, 2)).find(({ kind }) => kind === SERVER);
    expect(request).toMatchObject({ parentSpanId: PARENT, traceState: 'vendor=1,other=2' });
  });

  test.each([
    ['GET', '/pets/1', undefined, '/pets/{petId}', 'pets.byKeys'],
    ['POST', '/graphql', '{"query": "{ pets(first: 1) { nodes { id } } }"}', '/graphql', 'pets'],
  ])(
    '%s %s continues the trace of its caller: one span for the request, and one for each statement',
    async (method, path, body, route, statement) => {
      const traceId = TRACE.replace('0af7', method === 'GET' ? 'aaaa' : 'bbbb');
      const response = await fetch(service.base + path, {
        method,
        headers: { traceparent: `00-${traceId}-${PARENT}-01`, 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      });
      await response.text();
      const all = await spansOf(traceId, 2);
      const request = all.find(({ kind }) => kind === SERVER);
      expect(request).toMatchObject({ name: `${method} ${route}`, parentSpanId: PARENT });
      expect(response.headers.get('traceparent')).toBe(`00-${traceId}-${request?.spanId}-01`);
      expect(attributesOf(request as SentSpan)).toMatchObject({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': response.status,
        'url.path': path,
        'url.scheme': 'http',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(service.base).port),
        'user_agent.original': 'node',
      });
      const [first] = all.filter(({ kind }) => kind === CLIENT);
      expect(first?.parentSpanId).toBe(request?.spanId);
      expect(first?.name).toContain(statement);
      expect(attributesOf(first as SentSpan)).toMatchObject({
        'db.system.name': 'postgresql',
        'db.query.text': expect.stringContaining('select'),
      });
      expect(resources.at(-1)).toContain('"shop"');
      expect(resources.at(-1)).toContain('deployment.environment.name');
    },
  );

  test.each([
    ['GET', '/pets?status=available', {}, undefined],
    ['GET', '/pets/9999', {}, undefined],
    ['GET', '/pets', { prefer: 'count=exact' }, undefined],
    ['PATCH', '/pets/1', { 'if-match': '"99"' }, { name: 'Rex' }],
    ['PUT', '/pets/9999', {}, { name: 'Rex', categoryId: 1 }],
    ['DELETE', '/pets/9999', {}, undefined],
    ['PATCH', '/categories/9999', {}, { name: 'Newts' }],
    ['DELETE', '/categories/9999', {}, undefined],
    ['PUT', '/store/inventory/1', { 'if-match': '"99"' }, { quantity: 3 }],
    ['DELETE', '/store/inventory/9999', {}, undefined],
    ['DELETE', '/store/orders/9999', {}, undefined],
    ['GET', '/events', {}, undefined],
    ['GET', '/events?after=now', {}, undefined],
    ['POST', '/webhooks', {}, { url: 'http://127.0.0.1:9/pets', enabled: false }],
    ['GET', '/webhooks', {}, undefined],
    ['GET', '/webhooks/1/deliveries', {}, undefined],
    ['GET', '/webhooks/9999/deliveries', {}, undefined],
    ['POST', '/webhooks/1/secret', {}, undefined],
    ['POST', '/webhooks/9999/secret', {}, undefined],
    ['POST', '/webhooks/1/redeliver?after=1.0', {}, undefined],
    ['PATCH', '/webhooks/1', {}, { enabled: false }],
    ['DELETE', '/webhooks/1', {}, undefined],
    ['POST', '/graphql', {}, { query: '{ events(first: 5) { nodes { id data { __typename } } } }' }],
    ['POST', '/pets', { 'idempotency-key': 'tracing-rest' }, { name: 'Rex', categoryId: 1 }],
    [
      'POST',
      '/graphql',
      { 'idempotency-key': 'tracing-graphql' },
      { query: 'mutation { deletePet(petId: 9999) { id } }' },
    ],
    ['POST', '/graphql', {}, { query: 'mutation { updateOrder(orderId: 3, changes: { quantity: 1000000 }) { id } }' }],
    ['POST', '/graphql', {}, { query: 'mutation { cancelOrder(orderId: 9999) { id } }' }],
    [
      'POST',
      '/graphql',
      {},
      {
        query:
          '{ categories { totalCount nodes { pets { totalCount nodes { category { name } inventory { quantity } } } } } }',
      },
    ],
    ['POST', '/graphql', {}, { query: '{ lifecycle { coordinate } }' }],
    ['GET', '/lifecycle', { accept: 'text/html' }, undefined],
  ])('every statement of %s %s is in its trace (%j, %j)', async (method, path, fields, body) => {
    const headers = { 'content-type': 'application/json', traceparent: `00-${newTrace()}-${PARENT}-01`, ...fields };
    const before = await statementsRun(service);
    const response = await fetch(service.base + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status, await response.text()).toBeLessThan(500);
    const run = subtract(await statementsRun(service), before);
    expect(run).not.toEqual([]);
    const inTrace = () => spans.filter(({ traceId }) => traceId === headers.traceparent.slice(3, 35));
    const statements = () => inTrace().filter(({ kind, name }) => kind === CLIENT && isWaitedFor(name));
    const names = () => statements().map(({ name }) => name);
    await expect.poll(() => names().sort()).toEqual(run);
    await expect.poll(() => inTrace().filter(({ kind }) => kind === SERVER)).toHaveLength(1);
    const request = inTrace().find(({ kind }) => kind === SERVER);
    expect(new Set(statements().map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request?.spanId]));
  });

  test('a statement for several requests is in the trace of one, and linked to the others', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `cccc651916cd43dd8448eb211c8031${10 + n}`);
    const readAll = (flags: string) =>
      Promise.all(
        ids.map(async (id) =>
          (await fetch(`${service.base}/pets/1`, { headers: { traceparent: `00-${id}-${PARENT}-${flags}` } })).text(),
        ),
      );
    // Not recorded: opens the connections, so that the next requests arrive at the same time.
    await readAll('00');
    await readAll('01');
    await expect
      .poll(() => spans.filter(({ kind, traceId }) => kind === SERVER && ids.includes(traceId)))
      .toHaveLength(ids.length);
    const statements = spans.filter(({ kind, traceId }) => kind === CLIENT && ids.includes(traceId));
    const linked = statements.flatMap(({ links = [] }) => links.map(({ traceId }) => traceId));
    expect(statements.length).toBeLessThan(ids.length);
    expect(new Set([...linked, ...statements.map(({ traceId }) => traceId)])).toEqual(new Set(ids));
  });

  test('a trace that its caller does not record is not recorded here either, but its id is returned', async () => {
    const traceId = TRACE.replace('0af7', 'dddd');
    const response = await fetch(`${service.base}/pets/1`, { headers: { traceparent: `00-${traceId}-${PARENT}-00` } });
    await response.text();
    expect(response.headers.get('traceparent')).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    await sleep(300);
    expect(spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  test('an invalid traceparent starts a new trace', async () => {
    const response = await fetch(`${service.base}/nothing`, { headers: { traceparent: 'nonsense' } });
    await response.text();
    const [, traceId = ''] =
      /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(response.headers.get('traceparent') ?? '') ?? [];
    const [request] = await spansOf(traceId, 1);
    expect(request?.name).toBe('GET');
    expect(request?.parentSpanId ?? '').toBe('');
    expect(attributesOf(request as SentSpan)['http.route']).toBeUndefined();
  });

  test('an unknown method is not in the name of its span: clients could make up any number of them', async () => {
    const traceId = newTrace();
    const headers = { traceparent: `00-${traceId}-${PARENT}-01` };
    await (await fetch(`${service.base}/pets`, { method: 'PROPFIND', headers })).text();
    const [request] = (await spansOf(traceId, 1)) as [SentSpan];
    expect(request.name).toMatch(/^HTTP\b/);
    expect(attributesOf(request)['http.request.method']).toBe('_OTHER');
  });

  test('a statement that fails is an error in the trace, with its SQLSTATE; a request with a mistake of its client is not', async () => {
    const traceId = newTrace();
    const headers = { traceparent: `00-${traceId}-${PARENT}-01`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Rex', categoryId: 9_999 });
    expect((await fetch(`${service.base}/pets`, { method: 'POST', headers, body })).status).toBe(422);
    await expect.poll(() => spans.filter((span) => span.traceId === traceId && span.kind === SERVER)).toHaveLength(1);
    const all = (await spansOf(traceId, 2)).toSorted((one, other) => one.kind - other.kind);
    expect(all.map(({ kind, status }) => [kind, status.code])).toEqual([
      [SERVER, 0],
      [CLIENT, 2],
    ]);
    // A violated foreign key.
    expect(all.map((span) => attributesOf(span)['error.type'])).toEqual([undefined, '23503']);
  });

  test('log lines of a request have its trace_id', async () => {
    const traceId = TRACE.replace('0af7', 'eeee');
    await (await fetch(`${service.base}/pets/1`, { headers: { traceparent: `00-${traceId}-${PARENT}-01` } })).text();
    await expect.poll(service.output).toContain(`"trace_id":"${traceId}"`);
  });

  test('has no warning of its settings', () => {
    expect(service.output()).not.toMatch(/OTEL_|OpenTelemetry|traces are sent as/);
  });
});
