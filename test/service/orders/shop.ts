import { afterAll, beforeAll, expect } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

export interface Order {
  readonly id: number;
  readonly petId?: number;
  readonly quantity: number;
  readonly shipDate?: string;
  readonly complete: boolean;
}

export let app: TestApp;
let categoryId: number;

/** Starts the app before the tests of a file, on a database of its own. */
export function startShop(): void {
  beforeAll(async () => {
    app = await startTestApp();
    categoryId = (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
  });
  afterAll(() => app.dispose());
}

/** A pet with this quantity in stock; without a quantity, one that is not tracked. */
export async function makePet(quantity?: number): Promise<number> {
  const petId = (await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId } })).body.id;
  if (quantity !== undefined) await count(petId, quantity);
  return petId;
}

export async function count(petId: number, quantity: number): Promise<void> {
  const { status } = await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity } });
  expect([200, 201]).toContain(status);
}

export async function place(fields: object): Promise<Order> {
  const { status, body } = await app.rest('POST', '/store/orders', { body: fields });
  expect(status).toBe(201);
  return body;
}

export const patch = (id: number, body: object) => app.rest('PATCH', `/store/orders/${id}`, { body });
export const cancel = (id: number) => app.rest('DELETE', `/store/orders/${id}`);

export async function read(id: number): Promise<Order> {
  const { status, body } = await app.rest('GET', `/store/orders/${id}`);
  expect(status).toBe(200);
  return body;
}

/** A pet's stock and status, which its entry and the pet must show alike. */
export async function stock(petId: number): Promise<[quantity: number, status: string]> {
  const { body } = await app.rest('GET', `/store/inventory/${petId}`);
  expect((await app.rest('GET', `/pets/${petId}`)).body.status).toBe(body.status);
  return [body.quantity, body.status];
}

export async function ids(query: string): Promise<number[]> {
  const { status, body } = await app.rest('GET', `/store/orders?limit=100&${query}`);
  expect(status).toBe(200);
  return body.map((order: Order) => order.id);
}
