import type { RestAnswer, TestApp } from './app.ts';

/** The events that the work causes: a page of the feed. */
export async function eventsOf(app: TestApp, work: () => Promise<unknown>): Promise<RestAnswer['body']> {
  const start = await endOfFeed(app);
  await work();
  await published(app);
  return (await app.rest('GET', `${start}&limit=500`)).body;
}

/** The address of the events after all changes until now. */
export async function endOfFeed(app: TestApp): Promise<string> {
  await published(app);
  return nextOf(await app.rest('GET', '/events?after=now'));
}

/** The address of the next page. */
export function nextOf({ headers }: RestAnswer): string {
  const [, next = ''] = /<http:\/\/pets\.example([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return next;
}

/** Resolves when the events of all changes until now are published. */
export async function published({ database }: Pick<TestApp, 'database'>): Promise<void> {
  const left = () => database.transaction((query) => query('select from outbox limit 1', []));
  while ((await left()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
