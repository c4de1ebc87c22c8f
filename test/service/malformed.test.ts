import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MAX_LENGTH, type RawAnswer, sendRaw, statusesIn } from '../support/raw.ts';
import { startOwnService } from '../support/sockets.ts';
import { malformedRequests } from './malformed/requests.ts';

const AT_ONCE = 25;

const requests = Object.entries(malformedRequests).flatMap(([what, all]) => all.map((bytes) => ({ what, bytes })));

/** Incomplete requests: what has arrived so far is valid. */
const unfinished = [
  ['a request of HTTP/0.9', 'GET /pets\r\n'],
  ['half a method', 'GE'],
  ['a head without its end', 'GET /pets HTTP/1.1\r\nHost: x\r\n'],
  ['a chunk of an exbibyte', post('ffffffffffffff0\r\n{}\r\n')],
  ['chunks without their end', post('2\r\n{}\r\n0\r\n\r')],
] as const;

const service = startOwnService();
const { open, connections, isWell } = service;

test('there are more than 200 different malformed requests', () => {
  expect(new Set(requests.map(({ bytes }) => bytes)).size).toBe(requests.length);
  expect(requests.length).toBeGreaterThanOrEqual(200);
});

describe.each(Object.keys(malformedRequests))('a request with a malformed %s', (what) => {
  const cases = requests.filter((request) => request.what === what);

  test('gets one response, 4xx with the Error object, and nothing after it on the connection is a request', async () => {
    for (let at = 0; at < cases.length; at += AT_ONCE) {
      await Promise.all(cases.slice(at, at + AT_ONCE).map(({ bytes }) => expectRejection(bytes)));
    }
    expect(await isWell()).toBe(true);
  });
});

test.each([
  ['in its address', 'HEAD /pets?x=\xd9\xa3 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['in the Host field', 'HEAD /pets HTTP/1.1\r\n\r\n'],
  ['in two Host fields', 'HEAD /pets HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
])('a HEAD request that is malformed %s gets a response without a body', async (_, bytes) => {
  const { text } = await answerTo(bytes);
  expect(statusesIn(text)).toEqual([400]);
  expect(text).toMatch(/\r\n\r\n$/);
});

describe('a malformed request after valid ones is answered after them, as the last', () => {
  const before = 'GET /pets?limit=1 HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  const after = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

  test.each([
    ['in the bytes', '\0'],
    ['in the method', 'HELO\r\n\r\n'],
    ['in a field', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['in a chunk', post('g\r\n{}\r\n')],
    ['in the Host field', 'GET / HTTP/1.1\r\n\r\n'],
    ['in two Host fields', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['in the Expect field', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n'],
    ['for CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s', async (_, malformed) => {
    const { text, isClosed } = await answerTo(before + malformed + after);
    expect(statusesIn(text)).toEqual([200, 200, 400]);
    expect(isClosed).toBe(true);
  });
});

test('a malformed request after a valid HEAD request gets a response with a body', async () => {
  const { text } = await answerTo('HEAD /livez HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost : x\r\n\r\n');
  expect(statusesIn(text)).toEqual([200, 400]);
  expect(text).toMatch(/"status":400\}$/);
});

test('a request may have 100 header fields, each of which is checked, but not one more', async () => {
  const asking = (count: number, last: string) => {
    const others = Array.from({ length: count - 2 }, (_, n) => `A${n}: 1\r\n`).join('');
    return answerTo(`GET /pets HTTP/1.1\r\nHost: x\r\n${others}${last}\r\n\r\n`);
  };
  expect(statusesIn((await asking(100, 'If-None-Match: *')).text)).toEqual([304]);
  expect(statusesIn((await asking(100, 'Host: y')).text)).toEqual([400]);
  // A value is no field.
  expect(statusesIn((await asking(100, 'API-Client: host')).text)).toEqual([200]);
  for (const count of [101, 102, 128, 129, 1_500]) {
    const { text, isClosed } = await asking(count, 'API-Client: shop');
    expect(statusesIn(text), `${count}`).toEqual([400]);
    expect(text).toContain('more than 100');
    expect(isClosed).toBe(true);
  }
});

test('after a malformed request, nothing more is read from the connection', async () => {
  const socket = open();
  socket.on('error', () => {});
  socket.write('GET /livez HTTP/1.1\r\n\r\n');
  const requests = Buffer.from('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000), 'latin1');
  let taken = 0;
  const send = (error?: Error | null) => {
    if (error) return;
    taken++;
    socket.write(requests, send);
  };
  send();
  // The system takes some megabytes.
  await setTimeout(500);
  const before = taken;
  expect(before).toBeGreaterThan(1);
  await setTimeout(1_000);
  expect(taken).toBe(before);
  socket.destroy();
});

test.concurrent('a connection without a request is closed without a response, which would seem to be that of the next request', async () => {
  expect(await whatComesAfter('')).toBe('');
});

test.concurrent('an incomplete request is closed by the service, which answers others meanwhile', async () => {
  const began = performance.now();
  const ends = unfinished.map(async ([what, bytes]) => {
    const text = await whatComesAfter(bytes);
    expect(statusesIn(text), what).toEqual([400]);
    expect(text, what).toContain('did not arrive in time');
  });
  const answers = Array.from({ length: 10 }, () => fetch(`${service.base}/pets?limit=1`));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  await Promise.all(ends);
  // 30 s and what it takes to notice; the rest is for a machine that is busy.
  expect(performance.now() - began).toBeLessThan(45_000);
});

test('none of this is an internal error, and no connection is left open', async () => {
  expect(service.output()).not.toMatch(/"level":[56]0/);
  // At most the 18 to the database, and the one of this request.
  await expect.poll(connections, { timeout: 10_000 }).toBeLessThanOrEqual(23);
  expect(await isWell()).toBe(true);
});

/** All that the service sends after these bytes, until it closes the connection. */
async function whatComesAfter(bytes: string): Promise<string> {
  const socket = open();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.write(Buffer.from(bytes, 'latin1'));
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

async function expectRejection(bytes: string): Promise<void> {
  const { text, milliseconds } = await answerTo(bytes);
  const shown = JSON.stringify(bytes.slice(0, 200));
  const [status = 0, ...others] = statusesIn(text);
  expect(others, shown).toEqual([]);
  expect(status, shown).toBeGreaterThanOrEqual(400);
  expect(status, shown).toBeLessThan(500);
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))), shown).toMatchObject({ status, code: expect.any(String) });
  expect(milliseconds, shown).toBeLessThan(MAX_LENGTH);
}

function answerTo(bytes: string): Promise<RawAnswer> {
  return sendRaw(service.base, bytes);
}

function post(body: string): string {
  const fields = 'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
  return `POST /categories HTTP/1.1\r\n${fields}\r\n${body}`;
}
