import { afterAll, beforeAll, expect } from 'vitest';
import { type RestAnswer, startTestApp, type TestApp } from '../../support/app.ts';

export let app: TestApp;
export let categoryId: number;

/** Starts the app before the tests of a file, on a database of its own. */
export function startShop(): void {
  beforeAll(async () => {
    app = await startTestApp();
    categoryId = await make('/categories', { name: 'Dogs' });
  });
  afterAll(() => app.dispose());
}

export async function make(path: string, body: object): Promise<number> {
  return (await app.rest('POST', path, { body })).body.id;
}

export const makePet = () => make('/pets', { name: 'Rex', categoryId });

/** The resources with a version: how to create each, and the requests that change it. */
export const RESOURCES = {
  pet: {
    make: async () => `/pets/${await makePet()}`,
    changes: [
      ['PUT', () => ({ name: 'Max', categoryId })],
      ['PATCH', () => ({ name: 'Ben' })],
    ],
  },
  category: {
    make: async () => `/categories/${await make('/categories', { name: 'Cats' })}`,
    changes: [
      ['PUT', () => ({ name: 'Owls' })],
      ['PATCH', () => ({ name: 'Emus' })],
    ],
  },
  order: {
    make: async () => `/store/orders/${await make('/store/orders', { petId: await makePet(), quantity: 2 })}`,
    changes: [
      ['PATCH', () => ({ quantity: 3 })],
      ['PATCH', () => ({ complete: true })],
    ],
  },
  'inventory entry': {
    make: async () => {
      const path = `/store/inventory/${await makePet()}`;
      await app.rest('PUT', path, { body: { quantity: 5 } });
      return path;
    },
    changes: [['PUT', () => ({ quantity: 7 })]],
  },
} as const;

export const resources = Object.entries(RESOURCES);
export const changes = resources.flatMap(([name, { make, changes: all }]) =>
  all.map(([method, body]) => ({ name, make, method, body })),
);
export const writes = [
  ...changes,
  ...resources.map(([name, { make }]) => ({ name, make, method: 'DELETE', body: undefined })),
];

export async function tagOf(path: string): Promise<string> {
  return (await app.rest('GET', path)).headers.get('etag') as string;
}

export function write(method: string, path: string, body: (() => object) | undefined, headers: Record<string, string>) {
  return app.rest(method, path, { headers, ...(body && { body: body() }) });
}

const STATUSES = { PRECONDITION_FAILED: 412, INVALID_ARGUMENT: 400 };

export function expectError({ status, body }: RestAnswer, code: keyof typeof STATUSES, message: RegExp): void {
  expect([status, body.status, body.code]).toEqual([STATUSES[code], STATUSES[code], code]);
  expect(body.message).toMatch(message);
}
