import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

interface Row {
  readonly id?: number;
  readonly petId?: number;
  readonly name?: string;
  readonly shipDate?: string;
}

/** A list, and how to create and remove a row of it. The letter decides its place in the order by name or ship date. */
export interface List {
  readonly path: string;
  readonly sorts: readonly string[];
  make(letter: string): Promise<number>;
  remove(id: number): Promise<number>;
  readonly idOf: (row: Row) => number | undefined;
}

export let app: TestApp;
let categoryId: number;

/** Starts the app before the tests of a file, on a database of its own. */
export function startShop(): void {
  beforeAll(async () => {
    app = await startTestApp();
    categoryId = await create('/categories', { name: 'Dogs' });
  });
  afterAll(() => app.dispose());
}

export const pets: List = {
  path: '/pets',
  sorts: sortsOf('/pets'),
  make: (letter) => create('/pets', { name: letter, categoryId }),
  remove: (id) => remove(`/pets/${id}`),
  idOf: ({ id }) => id,
};
const categories: List = {
  path: '/categories',
  sorts: sortsOf('/categories'),
  make: (letter) => create('/categories', { name: letter }),
  remove: (id) => remove(`/categories/${id}`),
  idOf: ({ id }) => id,
};
export const orders: List = {
  path: '/store/orders',
  sorts: sortsOf('/store/orders'),
  make: (letter) => create('/store/orders', dateOf(letter)),
  remove: (id) => remove(`/store/orders/${id}`),
  idOf: ({ id }) => id,
};
const inventory: List = {
  path: '/store/inventory',
  sorts: [],
  make: async (letter) => {
    const petId = await pets.make(letter);
    expect((await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 1 } })).status).toBe(201);
    return petId;
  },
  remove: (id) => remove(`/store/inventory/${id}`),
  idOf: ({ petId }) => petId,
};

export const lists = [pets, categories, orders, inventory];

export async function create(path: string, fields: object): Promise<number> {
  const { status, body } = await app.rest('POST', path, { body: fields });
  expect(status).toBe(201);
  return body.id;
}

/** The sorts of a list, as the contract has them. */
function sortsOf(path: string): readonly string[] {
  const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  return paths[path].get.parameters.find(({ name }: { readonly name?: string }) => name === 'sort').schema.enum;
}

async function remove(path: string): Promise<number> {
  return (await app.rest('DELETE', path)).status;
}

/** A to Y are days of one month; Z is an order without a date. */
export function dateOf(letter: string): object {
  const day = letter.charCodeAt(0) - 'A'.charCodeAt(0) + 1;
  return letter === 'Z' ? {} : { shipDate: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z` };
}

/** The URL of rel=next; undefined on the last page. */
export function nextOf(headers: Headers): string | undefined {
  const link = headers.get('link');
  if (link === null) return undefined;
  const address = /^<http:\/\/pets\.example(\/[^>]+)>; rel="next"$/.exec(link)?.[1];
  if (address === undefined) throw new Error(`The link to the next page is ${link}`);
  return address;
}

/** All pages from a URL on; `meanwhile` runs after each page that has a next one. */
export async function walk(from: string, meanwhile: (page: Row[]) => Promise<void> = async () => {}): Promise<Row[][]> {
  const seen: Row[][] = [];
  for (let next: string | undefined = from; next !== undefined; ) {
    const { status, body, headers } = await app.rest('GET', next);
    expect(status).toBe(200);
    seen.push(body);
    if (seen.length > 1_000) throw new Error(`The walk from ${from} does not end.`);
    next = nextOf(headers);
    if (next !== undefined) await meanwhile(body);
  }
  return seen;
}

/** A cursor of the list with this sort. */
export async function cursorOf(path: string, query: string): Promise<string> {
  const { headers } = await app.rest('GET', `${path}?limit=1&${query}`);
  const cursor = new URL(nextOf(headers) ?? '', 'http://pets.example').searchParams.get('after');
  if (cursor === null) throw new Error(`${path}?${query} has no second page`);
  return cursor;
}
