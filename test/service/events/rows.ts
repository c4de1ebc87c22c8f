import { afterAll, beforeAll } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

export let app: TestApp;

/** Serves an app that publishes events, for the tests of a file. */
export function serveEvents(): void {
  beforeAll(async () => {
    app = await startTestApp();
    await app.begin();
  });
  afterAll(async () => {
    await app.flush();
    await app.dispose();
  });
}

/** The types and rows of events. */
export const summaryOf = (events: readonly { type: string; subject: string }[]) =>
  events.map(({ type, subject }) => `${type} ${subject}`);

/** Creates a pet, with a stock if a quantity is given, and gives its id. */
export async function newPet(quantity?: number): Promise<number> {
  const { body } = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId: await newCategory() } });
  if (quantity !== undefined) await app.rest('PUT', `/store/inventory/${body.id}`, { body: { quantity } });
  return body.id;
}

/** Creates a category, and gives its id. */
export async function newCategory(): Promise<number> {
  return (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
}
