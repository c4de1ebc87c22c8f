import { beforeAll, describe, expect, test } from 'vitest';
import { startOwnService } from '../../support/sockets.ts';
import { asking, type Hostile, many } from './hostile/build.ts';
import { hostileRequests } from './hostile/requests.ts';

/** The maximum time until a request is rejected, as a multiple of the time of an ordinary document. */
const MAX_RATIO = 5;
const MAX_TRIES = 20;
/** The maximum length of a rejection, in bytes. */
const MAX_REJECTION_BYTES = 150_000;

const service = startOwnService();
/** A document that is almost as large as is accepted. */
const ordinary = asking(
  `{ ${many(190, (n) => `p${n}: pet(petId: ${n + 1}) { id name status category { id name } }`)} }`,
);
let sent = 0;
/** The best time of the ordinary document, in milliseconds. */
let usual = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  // The first requests take longer: they warm up the service.
  for (let n = 0; n < 20; n++) {
    const { status, milliseconds } = await send(ordinary);
    expect(status).toBe(200);
    usual = Math.min(usual, milliseconds);
  }
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

describe.each(Object.entries(hostileRequests))('%s', (_, requests: readonly Hostile[]) => {
  test.each(requests)('%s: rejected soon, and the service keeps answering', async (_, body) => {
    // The best of three, or of more if necessary, because the machine may be busy.
    const rejections: Answer[] = [];
    const ratio = () => Math.min(...rejections.map(({ milliseconds }) => milliseconds)) / usual;
    while (rejections.length < 3 || (ratio() >= MAX_RATIO && rejections.length < MAX_TRIES))
      rejections.push(await send(body));
    for (const { status, text } of rejections) {
      expect(status, text.slice(0, 300)).toBeGreaterThanOrEqual(400);
      expect(status, text.slice(0, 300)).toBeLessThan(500);
      expect(text.length).toBeLessThan(MAX_REJECTION_BYTES);
      const { errors, data } = JSON.parse(text) as { errors: { extensions: unknown }[]; data?: unknown };
      expect(data).toBeUndefined();
      expect(errors[0]?.extensions).toMatchObject({ status });
    }
    expect(ratio()).toBeLessThan(MAX_RATIO);
    expect((await fetch(`${service.base}/pets?limit=1`)).status).toBe(200);
  });
});

test('none of these requests causes an internal error', () => {
  expect(service.output()).not.toMatch(/"level":[56]0/);
});

/** Makes the document a new one, because a document that was sent before is rejected from the cache. */
async function send(body: string): Promise<Answer> {
  const unknown = body.replace('"query":"', `"query":"#${sent++}\\n`);
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  const began = performance.now();
  const response = await fetch(`${service.base}/graphql`, { method: 'POST', headers, body: unknown });
  const text = await response.text();
  return { status: response.status, text, milliseconds: performance.now() - began };
}
