import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOwnService } from '../support/sockets.ts';

/** How long the good ones ask while the others are slow, how often, and how soon they must be answered, in milliseconds. */
const MEANWHILE = 2_500;
const EVERY = 20;
const SOON = 2_000;
/** How often each slow client sends a byte, in milliseconds. */
const SLOWNESS = 500;

const JSON_FIELDS = 'Host: x\r\nContent-Type: application/json\r\n';

/** What each of them has sent at once, and goes on with a byte at a time; 1,000 in all, by the service's own settings. */
const slow = {
  'heads a byte at a time': { count: 250, first: 'G', rest: `ET /pets HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100)}` },
  'REST bodies a byte at a time': { count: 200, first: post('/categories', 1_000), rest: '{"name":"Slow"' },
  'GraphQL bodies a byte at a time': { count: 200, first: post('/graphql', 1_000), rest: '{"query":"{ __ty' },
  'chunks a byte at a time': { count: 100, first: chunked(), rest: '1\r\n{\r\n1\r\n"\r\n' },
  'bodies with no byte': { count: 100, first: post('/pets', 1_000), rest: '' },
  'answers that are not read': { count: 140, first: get('/openapi.json'), rest: '' },
  // Six megabytes each: more than the system keeps for whoever does not read.
  'many answers that are not read': { count: 10, first: get('/openapi.json').repeat(20), rest: '' },
};

const service = startOwnService();
const clients: Socket[] = [];

beforeAll(async () => {
  // What it does for the first time takes longer, whoever else asks.
  for (let n = 0; n < 20; n++) await isServed(n);
  await fetch(`${service.base}/openapi.json`);
});
afterAll(() => {
  for (const client of clients) client.destroy();
});

test('1,000 slow clients leave good ones their answers: 99 % and more of them within 2 s', async () => {
  expect(Object.values(slow).reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
  for (const { count, first, rest } of Object.values(slow)) {
    for (let n = 0; n < count; n++) await beSlow(first, rest);
  }
  // The best of three rounds, for the machine may be busy with something else.
  const shares: number[] = [];
  do shares.push(await servedMeanwhile());
  while (Math.max(...shares) < 0.99 && shares.length < 3);
  expect(Math.max(...shares), `${shares}`).toBeGreaterThanOrEqual(0.99);
  // They were there all the time: otherwise nothing has been shown.
  expect(clients.filter(({ closed }) => !closed).length).toBe(1_000);
  expect(service.output()).not.toMatch(/"level":[56]0/);
});

test('and when they have gone, nothing of them is left', async () => {
  for (const client of clients) client.destroy();
  await expect.poll(service.connections, { timeout: 10_000 }).toBeLessThanOrEqual(30);
  expect(await isServed(0)).toBe(true);
});

test('a body that is slow to come takes no place among MAX_REQUESTS', async () => {
  await service.restart({ MAX_REQUESTS: '2' });
  const keyed = 'Idempotency-Key: slow\r\n';
  for (const path of ['/categories', '/graphql']) {
    for (let n = 0; n < 50; n++) await beSlow(post(path, 1_000, n % 2 === 0 ? keyed : ''), '{"name":"Slow"');
  }
  for (let n = 0; n < 12; n++) expect(await isServed(n)).toBe(true);
});

/** How large a part of the good ones is served for a while. */
async function servedMeanwhile(): Promise<number> {
  const answers: Promise<boolean>[] = [];
  const until = performance.now() + MEANWHILE;
  while (performance.now() < until) {
    answers.push(isServed(answers.length));
    await sleep(EVERY);
  }
  return (await Promise.all(answers)).filter(Boolean).length / answers.length;
}

async function beSlow(first: string, rest: string): Promise<void> {
  const socket = service.open().pause();
  clients.push(socket);
  await once(socket, 'connect');
  socket.write(first);
  let at = 0;
  const sending = setInterval(() => {
    if (at < rest.length && socket.writable) socket.write(rest.charAt(at++));
  }, SLOWNESS);
  socket.once('close', () => clearInterval(sending));
}

/** Whether a read or a change, over REST or GraphQL, is answered well and soon. */
async function isServed(n: number): Promise<boolean> {
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const signal = AbortSignal.timeout(SOON);
  const asked = [
    () => fetch(`${service.base}/pets?limit=5`, { headers, signal }),
    () => fetch(`${service.base}/categories`, { method: 'POST', headers, body: `{"name":"Good ${n}"}`, signal }),
    () => fetch(`${service.base}/graphql?query={pets{totalCount}}`, { headers, signal }),
    () => fetch(`${service.base}/readyz`, { headers, signal }),
  ];
  try {
    const answer = await (asked[n % asked.length] as () => Promise<Response>)();
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

function post(path: string, length: number, fields = ''): string {
  return `POST ${path} HTTP/1.1\r\n${JSON_FIELDS}${fields}Content-Length: ${length}\r\n\r\n`;
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

function chunked(): string {
  return `POST /categories HTTP/1.1\r\n${JSON_FIELDS}Transfer-Encoding: chunked\r\n\r\n`;
}
