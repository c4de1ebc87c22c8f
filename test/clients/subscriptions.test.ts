import { ApolloClient, ApolloLink, gql as apolloGql, InMemoryCache, Observable } from '@apollo/client';
import { Client, cacheExchange, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { print } from 'graphql';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let base: string;

beforeAll(async () => {
  app = await startTestApp();
  await app.begin();
  base = await app.listen();
});
afterAll(async () => {
  await app?.flush();
  await app?.dispose();
});

const SUBSCRIPTION = `subscription ($types: [EventType!], $after: String) {
  events(types: $types, after: $after) { id type subject data { __typename ... on Category { id name } } }
}`;
const variables = { types: ['category_created'] };

interface Received {
  readonly events: {
    readonly id: string;
    readonly type: string;
    readonly data: { readonly name: string };
  };
}

async function create(name: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${base}/categories`, { method: 'POST', headers, body: JSON.stringify({ name }) });
}

/** The place after the last event. */
async function lastId(): Promise<string> {
  const { headers } = await fetch(`${base}/events?after=now`);
  return /[?&]after=([\d.]+)/.exec(headers.get('link') ?? '')?.[1] ?? '';
}

/** Creates categories with these names until the client has got them all: it may not listen at once. */
async function createUntil(isTold: () => boolean, ...names: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 50 && !isTold(); tries++) {
    for (const name of names) await create(name);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const sse = (lazyUrl = () => `${base}/graphql`) => createClient({ url: lazyUrl });

describe('a subscription works in', () => {
  test('graphql-sse', async () => {
    const received: Received[] = [];
    const client = sse();
    const stop = client.subscribe<Received>(
      { query: SUBSCRIPTION, variables },
      { next: ({ data }) => data && received.push(data), error: () => {}, complete: () => {} },
    );
    await createUntil(() => received.length >= 2, 'Dogs', 'Cats');
    stop();
    client.dispose();
    expect(received[0]?.events).toMatchObject({ type: 'category_created', data: { __typename: 'Category' } });
    expect(new Set(received.map(({ events }) => events.id)).size).toBe(received.length);
  });

  test('graphql-sse, which goes on after the last event', async () => {
    const page = await (await fetch(`${base}/events?type=category.created&limit=1`)).json();
    const received: Received[] = [];
    const client = sse();
    const stop = client.subscribe<Received>(
      { query: SUBSCRIPTION, variables: { ...variables, after: page[0].id } },
      { next: ({ data }) => data && received.push(data), error: () => {}, complete: () => {} },
    );
    await createUntil(() => received.length >= 2, 'Newts', 'Toads');
    stop();
    client.dispose();
    const rest = await (await fetch(`${base}/events?type=category.created&after=${page[0].id}`)).json();
    expect(received.slice(0, 2).map(({ events }) => events.id)).toEqual(
      rest.slice(0, 2).map(({ id }: { id: string }) => id),
    );
  });

  test('graphql-sse, which misses nothing when its connection is cut, with the last id as a header field', async () => {
    let [last, cut] = [await lastId(), new AbortController()];
    const client = createClient({
      url: `${base}/graphql`,
      headers: () => ({ 'Last-Event-ID': last }),
      fetchFn: (url: string, init: RequestInit) =>
        fetch(url, { ...init, signal: AbortSignal.any([init.signal as AbortSignal, cut.signal]) }),
      retry: async () => {
        cut = new AbortController();
        await create('Newts');
      },
    });
    const names: string[] = [];
    await create('Toads');
    for await (const { data } of client.iterate<Received>({ query: SUBSCRIPTION, variables })) {
      last = data?.events.id ?? last;
      names.push(data?.events.data.name ?? '');
      if (names.length === 2) break;
      cut.abort();
    }
    client.dispose();
    expect(names).toEqual(['Toads', 'Newts']);
  });

  test('graphql-sse, which gets the errors of a rejected one', async () => {
    const client = createClient({ url: `${base}/graphql`, retryAttempts: 0 });
    const failed = new Promise((resolve) => {
      client.subscribe(
        { query: SUBSCRIPTION, variables: { after: 'x' } },
        {
          next: () => {},
          error: resolve,
          complete: () => {},
        },
      );
    });
    expect(String(await failed)).toMatch(/400/);
    client.dispose();
  });

  test('urql', async () => {
    const sseClient = sse();
    const client = new Client({
      url: `${base}/graphql`,
      exchanges: [
        cacheExchange,
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables: given }) => ({
            subscribe: (sink) => ({
              unsubscribe: sseClient.subscribe(
                { query, ...(given && { variables: given as Record<string, unknown> }) },
                sink as never,
              ),
            }),
          }),
        }),
      ],
      preferGetMethod: false,
    });
    const received: Received[] = [];
    const { unsubscribe } = client
      .subscription<Received>(gql(SUBSCRIPTION), variables)
      .subscribe(({ data }) => data && received.push(data));
    await createUntil(() => received.length >= 1, 'Birds');
    unsubscribe();
    sseClient.dispose();
    expect(received[0]?.events).toMatchObject({ type: 'category_created', data: { name: 'Birds' } });
  });

  test('Apollo Client', async () => {
    const sseClient = sse();
    const link = new ApolloLink(
      ({ query, variables: given, operationName }) =>
        new Observable((sink) =>
          sseClient.subscribe(
            { query: print(query), variables: given, ...(operationName !== undefined && { operationName }) },
            {
              next: (result) => sink.next(result as never),
              error: (error) => sink.error(error),
              complete: () => sink.complete(),
            },
          ),
        ),
    );
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const received: Received[] = [];
    const subscription = client
      .subscribe<Received>({ query: apolloGql(SUBSCRIPTION), variables })
      .subscribe(({ data }) => data && received.push(data as Received));
    await createUntil(() => received.length >= 1, 'Fish');
    subscription.unsubscribe();
    client.stop();
    sseClient.dispose();
    expect(received[0]?.events).toMatchObject({ type: 'category_created', data: { name: 'Fish' } });
  });
});

describe('GraphQL over server-sent events', () => {
  const send = (query: string, accept = 'text/event-stream') =>
    fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ query }),
    });

  test('gives a query or mutation as a stream with one result to a client that accepts nothing else', async () => {
    const response = await send('{ categories(first: 1) { nodes { __typename } } }');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toMatch(
      /^event: next\ndata: \{"data":\{"categories".*\}\n\nevent: complete\ndata:\n\n$/,
    );
  });

  test('rejects a subscription that is not asked for as a stream, and says how to', async () => {
    const response = await send('subscription { events { id } }', 'application/json');
    const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
    expect([errors[0]?.extensions.code, errors[0]?.message]).toEqual([
      'NOT_ACCEPTABLE',
      'A subscription is a stream: send Accept: text/event-stream.',
    ]);
  });

  test.each([
    ['subscription { events(after: "7.1") { id } }', 410],
    ['subscription { events { id } more: events { id } }', 400],
    ['subscription { events(types: [pet_eaten]) { id } }', 400],
    ['subscription { events(subject: "") { id } }', 422],
  ])('rejects %s before it is a stream, with %i', async (query, status) => {
    const response = await send(query);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/graphql-response\+json/);
    expect(((await response.json()) as { errors: unknown[] }).errors).toHaveLength(1);
  });
});
