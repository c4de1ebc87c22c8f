import { expect } from 'vitest';
import type { Checks } from './harness.ts';

/** Creates a category. */
async function create(base: string, name: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${base}/categories`, { method: 'POST', headers, body: JSON.stringify({ name }) });
}

export const eventChecks: Checks = {
  "events: the browser's EventSource gets each event, and goes on where it was": async ({ page, base }) => {
    // A page of ours may not open streams; one of a client may.
    await page.goto(`${base}/livez`);
    const script = `
      window.seen = [];
      window.follow = (query) => new Promise((resolve) => {
        const source = new EventSource('${base}/events?type=category.created' + query);
        source.addEventListener('category.created', ({ lastEventId, data }) =>
          seen.push({ id: lastEventId, name: JSON.parse(data).data.name }));
        source.addEventListener('open', () => resolve());
        window.stop = () => source.close();
      });
      undefined`;
    await page.evaluate(script);
    await page.evaluate("follow('')");
    await create(base, 'Seen first');
    await create(base, 'Seen second');
    await page.waitForFunction('seen.length === 2');
    await page.evaluate('stop()');
    await create(base, 'Missed meanwhile');
    await page.evaluate("follow('&after=' + seen.at(-1).id)");
    await page.waitForFunction('seen.length === 3');
    const names = await page.evaluate('stop() ?? seen.map(({ name }) => name)');
    expect(names).toEqual(['Seen first', 'Seen second', 'Missed meanwhile']);
  },

  'playground: a subscription shows events as they come': async ({ page, base }) => {
    const query = 'subscription { events(types: [category_created]) { type data { ... on Category { name } } } }';
    await page.goto(`${base}/graphql?query=${encodeURIComponent(query)}`);
    await page.locator('.graphiql-execute-button').click();
    await page.waitForTimeout(1_000);
    await create(base, 'In the playground');
    await page.locator('.result-window', { hasText: 'In the playground' }).waitFor();
  },
};
