import type { TestApp } from '../../support/app.ts';

/** The types and rows of events. */
export const summaryOf = (events: readonly { type: string; subject: string }[]) =>
  events.map(({ type, subject }) => `${type} ${subject}`);

/** Creates a pet, with a stock if a quantity is given, and gives its id. */
export async function newPet(app: TestApp, quantity?: number): Promise<number> {
  const { body } = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId: await newCategory(app) } });
  if (quantity !== undefined) await app.rest('PUT', `/store/inventory/${body.id}`, { body: { quantity } });
  return body.id;
}

/** Creates a category, and gives its id. */
export async function newCategory(app: TestApp): Promise<number> {
  return (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
}
