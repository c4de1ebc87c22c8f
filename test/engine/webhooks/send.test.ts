import { promises } from 'node:dns';
import type { RequestListener } from 'node:http';
import { setDefaultAutoSelectFamily } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { createSender } from '../../../src/engine/webhooks/send.ts';
import { cleanUp, cleanups, senderWith, serve } from './sending.ts';

cleanUp();

const never: RequestListener = () => {};
const NOT_PUBLIC = { status: null, error: 'The name of the URL leads to an address that is not public.' };

// False with --no-network-family-autoselection.
test.each([true, false])(
  'in development, localhost is this machine, whatever name servers say (%s)',
  async (triesAll) => {
    setDefaultAutoSelectFamily(triesAll);
    cleanups.push(() => setDefaultAutoSelectFamily(true));
    const { port } = await serve((_, response) => response.writeHead(204).end());
    const send = senderWith(async () => ['1.1.1.1']);
    expect(await send(`http://localhost:${port}/`)).toMatchObject({ status: 204 });
  },
);

test('a name is looked up at the name servers, and may have addresses of one kind alone', async () => {
  const { port } = await serve((_, response) => response.writeHead(204).end());
  const failure = (code: string) => Object.assign(new Error(`query ${code}`), { code });
  const resolve4 = vi.spyOn(promises.Resolver.prototype, 'resolve4').mockResolvedValue(['127.0.0.1'] as never);
  vi.spyOn(promises.Resolver.prototype, 'resolve6').mockRejectedValue(failure('ENODATA'));
  const send = senderWith();
  expect(await send(`http://shop.example:${port}/`)).toMatchObject({ status: 204 });
  resolve4.mockRejectedValue(failure('ENOTFOUND'));
  const error = 'The request failed with ENOTFOUND.';
  expect(await send(`http://other.example:${port}/`)).toEqual({ status: null, error });
});

describe('a request is not sent', () => {
  test.each([
    ['to metadata', ['169.254.169.254']],
    ['to a private address', ['10.0.0.1']],
    ['to a private address beside a public one', ['1.1.1.1', '192.168.0.1']],
    ['to an IPv6 address that stands for an IPv4 one', ['::ffff:169.254.169.254']],
  ])('%s, whatever name leads there', async (_, addresses) => {
    expect(await senderWith(async () => addresses, 'public')('https://shop.example/')).toEqual(NOT_PUBLIC);
  });

  test('to this machine in production, by name, address or DNS', async () => {
    let requests = 0;
    const { port } = await serve(() => requests++);
    const send = senderWith(async () => ['127.0.0.1'], 'public');
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'shop.example']) {
      expect(await send(`http://${host}:${port}/`)).toEqual(NOT_PUBLIC);
    }
    expect(requests).toBe(0);
  });

  test('to an address that the name gets after it was checked', async () => {
    let requests = 0;
    const { port } = await serve((_, response) => {
      requests++;
      response.end();
    });
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
    let lookups = 0;
    const send = senderWith(async () => answers[lookups++] as string[]);
    expect(await send(`http://rebound.example:${port}/`)).toMatchObject({ status: 200 });
    expect([lookups, requests]).toEqual([1, 1]);
    // The open connection leads to the address that was checked; another one is checked again.
    expect(await send(`http://rebound.example:${port}/`)).toMatchObject({ status: 200 });
    expect(await senderWith(async () => answers[lookups++] as string[])(`http://rebound.example:${port}/`)).toEqual(
      NOT_PUBLIC,
    );
    expect([lookups, requests]).toEqual([2, 2]);
  });

  test('without an address: the failure of the name server is the error', async () => {
    const failing = senderWith(() => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })));
    expect(await failing('https://nowhere.example/')).toEqual({
      status: null,
      error: 'The request failed with ENOTFOUND.',
    });
    const none = senderWith(async () => []);
    expect(await none('https://nowhere.example/')).toEqual({ status: null, error: 'nowhere.example has no address.' });
  });
});

describe('a receiver', () => {
  test('gets the body whole, and its status and Retry-After count', async () => {
    const got: unknown[] = [];
    const { port } = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      got.push([request.method, request.headers['content-length'], request.headers['x-test'], body]);
      response.writeHead(503, { 'retry-after': '7' }).end('busy');
    });
    expect(await senderWith()(`http://127.0.0.1:${port}/`)).toEqual({ status: 503, retryAfter: '7' });
    expect(got).toEqual([['POST', '10', '1', '{"a":"ü"}']]);
  });

  test('that never answers is left after ten seconds', async () => {
    const { port } = await serve(never);
    const started = performance.now();
    expect(await senderWith()(`http://127.0.0.1:${port}/`)).toEqual({
      status: null,
      error: 'There was no answer within 10 seconds.',
    });
    expect(performance.now() - started).toBeGreaterThan(9_900);
  });

  test('whose answer does not end has answered all the same, and its connection is closed', async () => {
    let isClosed = false;
    const { port } = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '5' }).write('a');
      request.on('close', () => {
        isClosed = true;
      });
    });
    const started = performance.now();
    expect(await senderWith()(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    expect(performance.now() - started).toBeLessThan(900);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(isClosed).toBe(true);
  });

  test('gets no request again when the sender ends', async () => {
    let requests = 0;
    const { port } = await serve((_, response) => {
      if (++requests === 1) response.end();
    });
    const sender = createSender('loopback');
    const send = () => sender.send({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '' });
    await send();
    const second = send();
    while (requests < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    sender.end();
    expect(await second).toEqual({ status: null, error: 'The service was stopped.' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(requests).toBe(2);
  });

  test.each([
    ['up to 64 KiB keeps its connection', 65_536, 1],
    ['more than 64 KiB has it closed, and its status counts', 65_537, 3],
  ])('that answers %s', async (_, length, connections) => {
    const ports = new Set<number | undefined>();
    const { port } = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end(Buffer.alloc(length));
    });
    const send = senderWith();
    for (let n = 0; n < 3; n++) {
      expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
      // The rest of the response is read after its status.
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    }
    expect(ports.size).toBe(connections);
  });

  test('may send a few interim responses before its answer', async () => {
    const { port } = await serve((_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeProcessing();
      setTimeout(() => response.writeHead(204).end(), 50);
    });
    expect(await senderWith()(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 204 });
  });
});
