import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, cacheExchange, fetchExchange, gql } from '@urql/core';
import createClient from 'openapi-fetch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { published } from '../support/feed.ts';
import type { paths } from './openapi.d.ts';

/** The service has a base path, as behind a gateway, and clients must be able to follow its links all the same. */
const BASE_PATH = '/api/v1';

interface Walk {
  readonly pets: {
    readonly nodes: readonly { readonly id: number }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly totalCount: number;
  };
}

let app: TestApp;
let base: string;

beforeAll(async () => {
  app = await startTestApp({ BASE_PATH });
  base = await app.listen();
});
afterAll(() => app?.dispose());

describe('openapi-fetch, with types of the OpenAPI description', () => {
  test('sells a pet', async () => {
    const client = createClient<paths>({ baseUrl: base });
    const category = (await client.POST('/categories', { body: { name: 'Dogs', description: 'Loyal.' } })).data;
    expect(category).toEqual({ id: expect.any(Number), name: 'Dogs', description: 'Loyal.' });
    const categoryId = category?.id ?? 0;

    const created = await client.POST('/pets', { body: { name: 'Rex', categoryId } });
    expect(created.response.status).toBe(201);
    const petId = created.data?.id ?? 0;
    const rex = { id: petId, name: 'Rex', categoryId, status: 'available' };
    expect(created.data).toEqual(rex);
    expect(await (await fetch(created.response.headers.get('location') ?? '')).json()).toEqual(rex);

    const path = { petId };
    const counted = await client.PUT('/store/inventory/{petId}', { params: { path }, body: { quantity: 2 } });
    expect([counted.response.status, counted.data]).toEqual([201, { petId, quantity: 2, status: 'available' }]);

    const placed = await client.POST('/store/orders', {
      body: { petId, quantity: 2, shipDate: '2026-12-01T10:30:00+01:00' },
    });
    const orderId = placed.data?.id ?? 0;
    expect(placed.data).toEqual({
      id: orderId,
      petId,
      quantity: 2,
      shipDate: '2026-12-01T09:30:00.000Z',
      complete: false,
    });
    expect((await client.GET('/store/inventory/{petId}', { params: { path } })).data).toMatchObject({
      quantity: 0,
      status: 'pending',
    });

    const tooMuch = await client.POST('/store/orders', { body: { petId } });
    expect(tooMuch.data).toBeUndefined();
    expect(tooMuch.error).toEqual({ code: 'OUT_OF_STOCK', message: expect.any(String), status: 409 });

    const order = { params: { path: { orderId } } };
    const changed = await client.PATCH('/store/orders/{orderId}', { ...order, body: { quantity: 1, shipDate: null } });
    expect(changed.data).toEqual({ id: orderId, petId, quantity: 1, complete: false });
    expect((await client.DELETE('/store/orders/{orderId}', order)).response.status).toBe(204);
    expect((await client.GET('/store/orders/{orderId}', order)).error).toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
    });
    expect((await client.GET('/store/inventory/{petId}', { params: { path } })).data).toMatchObject({
      quantity: 2,
      status: 'available',
    });

    const renamed = await client.PATCH('/pets/{petId}', { params: { path }, body: { name: 'Rexina' } });
    expect(renamed.data).toEqual({ ...rex, name: 'Rexina' });
    expect((await client.DELETE('/store/inventory/{petId}', { params: { path } })).response.status).toBe(204);
    expect((await client.DELETE('/pets/{petId}', { params: { path } })).response.status).toBe(204);
    expect(
      (await client.DELETE('/categories/{categoryId}', { params: { path: { categoryId } } })).response.status,
    ).toBe(204);
  });

  test('reads events with their types, if the media type is given', async () => {
    const client = createClient<paths, 'application/json'>({ baseUrl: base });
    await client.POST('/categories', { body: { name: 'Received' } });
    const { data } = await client.GET('/events', { params: { query: { type: ['category.created'] } } });
    expect(data?.map(({ type }) => type)).toContain('category.created');
  });

  test('pages through a list by its Link fields to the end, with the same filters and sort', async () => {
    const client = createClient<paths>({ baseUrl: base });
    const category = (await client.POST('/categories', { body: { name: 'Walked' } })).data;
    const categoryId = category?.id ?? 0;
    for (let n = 10; n < 17; n++) await client.POST('/pets', { body: { name: `Pet & co. ${n}`, categoryId } });
    const query = {
      categoryId: [categoryId],
      status: ['available' as const, 'sold' as const],
      name: 'pet & co.',
      sort: '-name' as const,
      limit: 3,
    };

    const first = await client.GET('/pets', { params: { query } });
    const pages = [first.data ?? []];
    for (let next = nextOf(first.response); next !== undefined; ) {
      expect(next.startsWith(`${base}/pets?`)).toBe(true);
      const response = await fetch(next);
      pages.push((await response.json()) as (typeof pages)[number]);
      next = nextOf(response);
    }
    expect(pages.map((page) => page.map(({ name }) => name.slice(-2)))).toEqual([
      ['16', '15', '14'],
      ['13', '12', '11'],
      ['10'],
    ]);
  });

  test('reads a deprecation from the response', async () => {
    const client = createClient<paths>({ baseUrl: base });
    const { response } = await client.GET('/pets/{petId}', { params: { path: { petId: 404 } } });
    expect(response.headers.get('deprecation')).toBe('@1782864000');
    expect(response.headers.get('sunset')).toBe('Fri, 31 Dec 2027 23:59:59 GMT');
    const successor = await fetch(addressOf(response, 'successor-version') ?? '');
    expect([successor.status, await successor.json()]).toEqual([200, []]);
    const page = await fetch(addressOf(response, 'deprecation') ?? '', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});

describe('urql, with its cache', () => {
  const Pet = gql`
    fragment Fields on Pet {
      __typename
      id
      name
      status
      inventory {
        petId
        quantity
      }
    }
  `;

  test('sells a pet', async () => {
    const client = new Client({ url: `${base}/graphql`, exchanges: [cacheExchange, fetchExchange] });
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
    const change = async (document: ReturnType<typeof gql>, variables: object): Promise<any> => {
      const { data, error } = await client.mutation(document, variables).toPromise();
      expect(error).toBeUndefined();
      return data;
    };
    const CREATE_CATEGORY = gql`mutation ($category: NewCategory!) { createCategory(category: $category) { id } }`;
    const CREATE_PET = gql`mutation ($pet: NewPet!) { createPet(pet: $pet) { ...Fields } } ${Pet}`;
    const REPLACE_STOCK = gql`mutation ($petId: Int64!, $quantity: Int!) { replaceStock(petId: $petId, update: { quantity: $quantity }) { pet { ...Fields } } } ${Pet}`;
    const PLACE_ORDER = gql`mutation ($order: NewOrder!) { placeOrder(order: $order) { id shipDate pet { ...Fields } } } ${Pet}`;
    const UPDATE_ORDER = gql`mutation ($orderId: Int64!, $changes: OrderChanges!) { updateOrder(orderId: $orderId, changes: $changes) { id shipDate pet { ...Fields } } } ${Pet}`;
    const CANCEL_ORDER = gql`mutation ($orderId: Int64!) { cancelOrder(orderId: $orderId) { id pet { ...Fields } } } ${Pet}`;
    const PETS = gql`query ($categoryId: [Int64!], $after: String) {
      pets(categoryId: $categoryId, first: 2, after: $after) { nodes { ...Fields } pageInfo { hasNextPage endCursor } totalCount }
    } ${Pet}`;

    const { id: categoryId } = (await change(CREATE_CATEGORY, { category: { name: 'Cats' } })).createCategory;
    const pets: number[] = [];
    for (const name of ['Tom', 'Tim', 'Tam']) {
      const { createPet } = await change(CREATE_PET, { pet: { name, categoryId } });
      expect(createPet).toEqual({
        __typename: 'Pet',
        id: expect.any(Number),
        name,
        status: 'available',
        inventory: null,
      });
      pets.push(createPet.id);
    }
    const [petId] = pets;
    const { replaceStock } = await change(REPLACE_STOCK, { petId, quantity: 1 });
    expect(replaceStock.pet).toMatchObject({ status: 'available', inventory: { petId, quantity: 1 } });

    const { placeOrder } = await change(PLACE_ORDER, { order: { petId, shipDate: '2026-12-01T10:30:00+01:00' } });
    expect(placeOrder).toMatchObject({
      shipDate: '2026-12-01T09:30:00.000Z',
      pet: { status: 'pending', inventory: { quantity: 0 } },
    });
    const { data, error } = await client.mutation(PLACE_ORDER, { order: { petId } }).toPromise();
    expect(data ?? null).toBeNull();
    expect(error?.graphQLErrors[0]?.extensions).toEqual({ code: 'OUT_OF_STOCK', status: 409 });

    const orderId = placeOrder.id;
    const { updateOrder } = await change(UPDATE_ORDER, { orderId, changes: { shipDate: null } });
    expect(updateOrder).toMatchObject({ id: orderId, shipDate: null, pet: { status: 'pending' } });
    const { cancelOrder } = await change(CANCEL_ORDER, { orderId });
    expect(cancelOrder.pet).toMatchObject({ status: 'available', inventory: { quantity: 1 } });

    const walked: number[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { pets: page } = (await client.query<Walk>(PETS, { categoryId: [categoryId], after }).toPromise())
        .data as Walk;
      expect(page.totalCount).toBe(3);
      walked.push(...page.nodes.map(({ id }) => id));
      ({ hasNextPage: more, endCursor: after } = page.pageInfo);
    }
    expect(walked).toEqual(pets);
  });
});

const PETS = gql`query ($first: Int) { pets(first: $first) { totalCount } }`;

describe('Apollo Client, with its cache', () => {
  const CREATE_PET = gql`mutation ($pet: NewPet!) { createPet(pet: $pet) { id } }`;
  const RENAME = gql`mutation ($id: Int64!) { updatePet(petId: $id, changes: { name: "Second" }) { id } }`;
  const STOCK = gql`mutation ($id: Int64!, $quantity: Int!) {
    replaceStock(petId: $id, update: { quantity: $quantity }) { petId quantity }
  }`;
  const STOCK_OF = gql`query ($id: [Int64!]) { pets(id: $id) { nodes { id inventory { petId quantity } } } }`;
  const EVENTS = gql`query ($subject: String) { events(subject: $subject) { nodes { data { ... on Pet { id name } } } } }`;

  const makePet = async () => {
    const client = new ApolloClient({
      link: new HttpLink({ uri: `${base}/graphql` }),
      cache: new InMemoryCache({ typePolicies: { InventoryItem: { keyFields: ['petId'] } } }),
    });
    const rest = createClient<paths>({ baseUrl: base });
    const category = await rest.POST('/categories', { body: { name: 'Cats' } });
    const pet = { name: 'First', categoryId: category.data?.id };
    const { data } = await client.mutate<{ createPet: { id: number } }>({ mutation: CREATE_PET, variables: { pet } });
    return { client, id: data?.createPet.id };
  };

  test('shows a new stock in the pets that it has, as docs/clients.md says', async () => {
    const { client, id } = await makePet();
    await client.mutate({ mutation: STOCK, variables: { id, quantity: 9 } });
    await client.query({ query: STOCK_OF, variables: { id: [id] } });
    await client.mutate({ mutation: STOCK, variables: { id, quantity: 5 } });
    const cached = await client.query({ query: STOCK_OF, variables: { id: [id] }, fetchPolicy: 'cache-only' });
    expect(cached.data).toMatchObject({ pets: { nodes: [{ id, inventory: { petId: id, quantity: 5 } }] } });
  });

  test('shows each event with its row as it was, past its cache, as docs/events.md says', async () => {
    const { client, id } = await makePet();
    await client.mutate({ mutation: RENAME, variables: { id } });
    await published(app);
    const variables = { subject: `pets/${id}` };
    const { data } = await client.query({ query: EVENTS, variables, fetchPolicy: 'no-cache' });
    expect(data).toMatchObject({ events: { nodes: [{ data: { name: 'First' } }, { data: { name: 'Second' } }] } });
  });
});

describe('Apollo Client, with persisted queries', () => {
  test.each([false, true])(
    'sends documents after it has learned that digests do not do, by GET: %s',
    async (useGETForHashedQueries) => {
      const sent: string[] = [];
      const counted: typeof fetch = (address, options) => {
        sent.push(`${options?.method}`);
        return fetch(address, options);
      };
      const persisted = new PersistedQueryLink({ generateHash: () => 'ecf4edb4', useGETForHashedQueries });
      const link = persisted.concat(new HttpLink({ uri: `${base}/graphql`, fetch: counted }));
      const client = new ApolloClient({ link, cache: new InMemoryCache() });
      for (const first of [1, 2]) {
        const { data } = await client.query<Walk>({ query: PETS, variables: { first } });
        expect(data?.pets.totalCount).toEqual(expect.any(Number));
      }
      expect(sent).toEqual([useGETForHashedQueries ? 'GET' : 'POST', 'POST', 'POST']);
    },
  );
});

function nextOf(response: Response): string | undefined {
  return linkTo(response, 'next');
}

/** The target of a link; it may be relative to the response's own URL (RFC 8288, section 3.1). */
function addressOf(response: Response, relation: string): string | undefined {
  const link = linkTo(response, relation);
  return link === undefined ? undefined : new URL(link, response.url).href;
}

/** Finds links as Octokit does: the relation must be the first parameter. */
function linkTo({ headers }: Response, relation: string): string | undefined {
  return new RegExp(`<([^<>]+)>; rel="${relation}"`).exec(headers.get('link') ?? '')?.[1];
}
