import type { TestApp } from './app.ts';

/** Resolves when the events of all changes until now are published. */
export async function published({ database }: Pick<TestApp, 'database'>): Promise<void> {
  const left = () => database.transaction((query) => query('select from outbox limit 1', []));
  while ((await left()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
