import { afterAll, beforeAll, expect } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

export interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

export let app: TestApp;
export let categoryId: number;

/** Starts the app before the tests of a file, on a database of its own. */
export function startShop(): void {
  beforeAll(async () => {
    app = await startTestApp();
    categoryId = await makeCategory();
  });
  afterAll(() => app.dispose());
}

export async function makeCategory(): Promise<number> {
  return (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
}

export async function makePet(fields: Partial<Pet> = {}): Promise<Pet> {
  const { status, body } = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId, ...fields } });
  expect(status).toBe(201);
  return body;
}

export async function read(id: number): Promise<Pet> {
  const { status, body } = await app.rest('GET', `/pets/${id}`);
  expect(status).toBe(200);
  return body;
}

export async function ids(query: string): Promise<number[]> {
  const { status, body } = await app.rest('GET', `/pets?limit=100&${query}`);
  expect(status).toBe(200);
  return body.map((pet: Pet) => pet.id);
}
