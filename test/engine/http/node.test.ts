import { once } from 'node:events';
import { type ClientRequest, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { readBytes } from '../../../src/engine/http/body.ts';
import type { IncomingRequest } from '../../../src/engine/http/incoming.ts';
import { nodeListener, type Respond } from '../../../src/engine/http/node.ts';

const failures: unknown[] = [];
let server: Server | undefined;

/** Serves the replies on a free port, and returns its address. */
async function serve(respond: Respond): Promise<string> {
  const listener = nodeListener(respond, (error) => failures.push(error));
  server = createServer((message, response) => {
    response.on('error', (error) => failures.push(error));
    listener(message, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  server?.close();
  failures.length = 0;
});

test.each(['after', 'now'] as const)('what is written to a stream that was ended (%s) is left out', async (how) => {
  const base = await serve(async () => ({
    status: 200,
    headers: [],
    encoding: 'utf8',
    caller: 'me',
    body: (sink) => {
      sink.write('first');
      sink.end(how);
      sink.write('late');
    },
  }));
  const [result] = await Promise.allSettled([fetch(base).then((response) => response.text())]);
  expect(result).toMatchObject(how === 'after' ? { value: 'first' } : { status: 'rejected' });
  expect(failures).toEqual([]);
});

test('what still arrives of a rejected body does not count against its caller', async () => {
  const mebibyte = 2 ** 20;
  const held: (() => void)[] = [];
  const errors: unknown[] = [];
  const base = await serve(async ({ target, readBody }) => {
    const answer = (status: number) => ({ status, headers: [], encoding: 'utf8' as const, caller: 'me', body: 'text' });
    try {
      await readBytes({ readBody, meter: { account: 'me' } } as IncomingRequest, 20 * mebibyte);
    } catch (error) {
      errors.push(error);
      // Its response is not there before all of it has arrived.
      await new Promise<void>((resolve) => held.push(resolve));
      return answer(503);
    }
    if (target === '/held') await new Promise<void>((resolve) => held.push(resolve));
    return answer(200);
  });
  const first = fetch(`${base}/held`, { method: 'POST', body: Buffer.alloc(7.5 * mebibyte) });
  await expect.poll(() => held.length).toBe(1);
  const rejected = request(`${base}/rejected`, { method: 'POST' });
  const answered = once(rejected, 'response');
  rejected.write(Buffer.alloc(mebibyte));
  await expect.poll(() => held.length).toBe(2);
  held[0]?.();
  expect((await first).status).toBe(200);
  rejected.write(Buffer.alloc(5 * mebibyte));
  await sleep(100);
  const third = await fetch(`${base}/third`, { method: 'POST', body: Buffer.alloc(6 * mebibyte) });
  expect(third.status).toBe(200);
  rejected.end();
  held[1]?.();
  expect((await answered)[0].statusCode).toBe(503);
  expect(errors).toMatchObject([{ code: 'UNAVAILABLE' }]);
});

test('the body of a client that has left before it is read is incomplete, and nobody waits for it', async () => {
  let sent: ClientRequest | undefined;
  const messages: string[] = [];
  const base = await serve(async ({ isAborted, readBody }) => {
    sent?.destroy();
    await expect.poll(isAborted, { interval: 5 }).toBe(true);
    await readBody(100, 'me').catch(({ message }) => messages.push(message));
    return { status: 200, headers: [], encoding: 'utf8', caller: 'me', body: 'text' };
  });
  sent = request(base, { method: 'POST' }).on('error', () => {});
  sent.write('{');
  await expect.poll(() => messages).toEqual(['The connection was closed.']);
});

test('a stream is not opened for a client that has left: nothing would end it', async () => {
  let sent: ClientRequest | undefined;
  let opened = 0;
  const answered: number[] = [];
  const base = await serve(async ({ isAborted }) => {
    sent?.destroy();
    await expect.poll(isAborted, { interval: 5 }).toBe(true);
    setImmediate(() => answered.push(opened));
    return { status: 200, headers: [], encoding: 'utf8', caller: 'me', body: () => void opened++ };
  });
  sent = request(base)
    .on('error', () => {})
    .end();
  await expect.poll(() => answered).toEqual([0]);
});

test('a response that cannot be written closes its connection, and is reported; the next is answered', async () => {
  const base = await serve(async ({ target }) => ({
    status: 200,
    headers: ['x-path', target === '/bad' ? 'a\r\nb' : target],
    encoding: 'utf8',
    caller: 'me',
    body: 'text',
  }));
  await expect(fetch(`${base}/bad`)).rejects.toThrow('fetch failed');
  expect(failures).toMatchObject([{ code: 'ERR_INVALID_CHAR' }]);
  expect(await (await fetch(`${base}/good`)).text()).toBe('text');
});
