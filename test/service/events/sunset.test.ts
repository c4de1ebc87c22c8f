import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { membersOf } from '../../../src/engine/lifecycle/annotated.ts';
import { deprecated } from '../../../src/engine/lifecycle/annotation.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

const [before, brownout, after] = ['2027-12-01T13:59:59Z', '2027-12-01T14:00:00Z', '2028-01-01T00:00:00Z'];
const used = membersOf(petStoreService.schema).find(({ coordinate }) => coordinate === 'EventType.category_created');
const extensions = used?.element.extensions ?? {};
let now = before;
let app: TestApp;

beforeAll(async () => {
  const [since, sunset, successor] = ['2027-01-01', '2027-12-31', { coordinate: 'EventType.category_updated' }];
  if (used !== undefined)
    used.element.extensions = {
      ...extensions,
      lifecycle: deprecated({ since, sunset, successor, why: 'It is rare.' }),
    };
  const brownouts = [{ coordinate: undefined, from: new Date(brownout), until: new Date('2027-12-01T14:15:00Z') }];
  app = await startTestApp({}, { clock: () => new Date(now), sunset: 'enforce', brownouts });
  await app.begin();
});
beforeEach(() => {
  now = before;
});
afterAll(async () => {
  if (used !== undefined) used.element.extensions = extensions;
  await app.flush();
  await app.dispose();
});

const headers = { accept: 'text/event-stream', 'content-type': 'application/json', 'api-client': 'reader' };
const query = 'subscription { events(types: [category_created]) { id } }';
const open = {
  REST: () => app.fetch(new Request('http://pets.example/events?type=category.created', { headers })),
  GraphQL: () =>
    app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })),
};

async function countUses(): Promise<number> {
  await app.flush();
  const query = "select coalesce(sum(uses), 0) from lifecycle_uses where coordinate = 'EventType.category_created'";
  const [[uses] = []] = await app.database.transaction((run) => run(query, []));
  return Number(uses);
}

test.each([
  [
    'REST',
    'a brownout',
    brownout,
    /\n: EventType\.category\.created fails on purpose until 2027-12-01T14:15:00Z.*\n\n$/,
  ],
  [
    'REST',
    'the sunset',
    after,
    /\n: EventType\.category\.created was served until 2027-12-31; use EventType\.category\.updated .*\n\n$/,
  ],
  ['GraphQL', 'a brownout', brownout, /event: next\ndata: \{"errors":\[.*"BROWNOUT".*\n\nevent: complete/],
  ['GraphQL', 'the sunset', after, /event: next\ndata: \{"errors":\[.*"GONE".*\n\nevent: complete/],
] as const)(
  'a stream of %s that uses something deprecated ends at %s, and is one use',
  async (way, _, instant, end) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const usesBefore = await countUses();
    const response = await open[way]();
    expect(response.status).toBe(200);
    await vi.advanceTimersByTimeAsync(10_000);
    now = instant;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await response.text()).toMatch(end);
    expect(await countUses()).toBe(usesBefore + 1);
  },
);
