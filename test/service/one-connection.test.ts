import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { listen } from '../../src/engine/http/listen.ts';
import { read, startOwnService } from '../support/sockets.ts';

const { open, head } = startOwnService();

describe('one connection', () => {
  test('answers pipelined requests in their order, whichever is ready first', async () => {
    const socket = open();
    const paths = Array.from(
      { length: 40 },
      (_, n) => ['/pets?limit=100', '/livez', '/pets/0', '/nothing'][n % 4] as string,
    );
    socket.write(paths.map((path, n) => head('GET', path, { 'x-request-id': `${n}` })).join(''));
    const answers = await read(socket, paths.length);
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(paths.map((_, n) => `${n}`));
    expect(answers.map(({ status }) => status)).toEqual(paths.map((_, n) => [200, 200, 404, 404][n % 4]));
    socket.destroy();
  });

  test('works on one request at a time, however many are pipelined, and on none after it is closed', async () => {
    const most = 500;
    let inside = 0;
    let mostInside = 0;
    let all = 0;
    const listener = await listen(
      async ({ url }, response) => {
        mostInside = Math.max(mostInside, ++inside);
        await turn();
        inside--;
        if (++all === most) response.setHeader('connection', 'close');
        response.end(url);
      },
      { host: '127.0.0.1', port: 0, stall: 40_000 },
    );
    const socket = connect(listener.port, '127.0.0.1');
    for (let n = 0; n < 2 * most; n++) socket.write(head('GET', `/${n}`));
    const answers = await read(socket, most);
    expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: most }, (_, n) => `/${n}`));
    await once(socket, 'close');
    await listener.drain(0);
    expect([mostInside, all]).toEqual([1, most]);
  });

  test('has one response in each turn of the event loop, and 64 KiB of pipelined requests read, however many', async () => {
    const [request, all] = [head('GET', '/'), 6_000];
    let [answered, inTurn, mostInTurn, mostRead] = [0, 0, 0, 0];
    const listener = await listen(
      ({ socket }, response) => {
        mostRead = Math.max(mostRead, socket.bytesRead - request.length * answered++);
        mostInTurn = Math.max(mostInTurn, ++inTurn);
        setImmediate(() => {
          inTurn = 0;
        });
        response.end();
      },
      { host: '127.0.0.1', port: 0, stall: 40_000 },
    );
    const socket = connect(listener.port, '127.0.0.1').resume();
    socket.write(request.repeat(all));
    await expect.poll(() => answered, { timeout: 20_000 }).toBe(all);
    expect(mostInTurn).toBe(1);
    expect(mostRead).toBeLessThan(2 * 65_536);
    socket.destroy();
    await listener.drain(0);
  });

  test('is closed when too many requests wait on all connections, and it has the most of them', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const listener = await listen((_, response) => void held.then(() => response.end('text')), {
      host: '127.0.0.1',
      port: 0,
      stall: 40_000,
    });
    const pipeline = async (requests: number) => {
      const socket = connect(listener.port, '127.0.0.1').on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
      await once(socket, 'connect');
      return socket;
    };
    const few = await pipeline(2);
    const many = await Promise.all(Array.from({ length: 30 }, () => pipeline(1_000)));
    const closed = () => many.filter((socket) => socket.closed).length;
    await expect.poll(closed, { timeout: 20_000 }).toBeGreaterThan(8);
    expect(closed()).toBeLessThan(15);
    // It is not the one whose requests were too many.
    const late = await Promise.all(Array.from({ length: 12 }, () => pipeline(100)));
    await expect.poll(closed).toBeGreaterThan(10);
    expect(late.filter((socket) => socket.closed)).toEqual([]);
    release();
    expect((await read(few, 2)).map(({ body }) => body)).toEqual(['text', 'text']);
    for (const socket of [few, ...late, ...many]) socket.destroy();
    await listener.drain(0);
  });

  test('is closed without a stack for each request that is not answered yet: those of thousands take seconds', async () => {
    const { stackTraceLimit } = Error;
    let failure: Error | undefined;
    const onFailure = (error: Error) => {
      failure = error;
    };
    const listener = await listen((request) => void request.once('error', onFailure), {
      host: '127.0.0.1',
      port: 0,
      stall: 40_000,
    });
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(head('GET', '/'), () => socket.destroy());
    await expect.poll(() => failure?.stack).toBe('Error: aborted');
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    await listener.drain(0);
  });

  test.each(['/pets', '/pets/0', '/nothing', '/graphql?query={__typename}', '/openapi.json', '/livez', '/'])(
    'has no body in the response to HEAD %s: its length, and then the next response',
    async (path) => {
      const socket = open();
      socket.write(head('GET', path));
      const [{ status, headers, body }] = await read(socket);
      socket.write(head('HEAD', path) + head('GET', '/livez'));
      const [empty, next] = await read(socket, 2, 1);
      expect([empty?.status, empty?.headers.get('content-length')]).toEqual([status, headers.get('content-length')]);
      expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(body));
      expect([next?.status, next?.body]).toEqual([200, '{"status":"ok"}']);
      socket.destroy();
    },
  );

  test('with HTTP/1.0 needs no Host, gets no chunks, and closes without keep-alive', async () => {
    const socket = open();
    socket.write('GET /categories HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    const [kept] = await read(socket);
    socket.write('GET /categories HTTP/1.0\r\n\r\n');
    const [last] = await read(socket);
    await once(socket, 'close');
    for (const { status, headers, body } of [kept, last]) {
      expect([status, body, headers.has('transfer-encoding')]).toEqual([200, expect.stringMatching(/^\[/), false]);
    }
    expect([kept.headers.get('connection'), last.headers.get('connection')]).toEqual(['keep-alive', 'close']);
  });

  test('gets all methods of the service for OPTIONS * (RFC 9110, section 9.3.7)', async () => {
    const socket = open();
    socket.write('OPTIONS * HTTP/1.1\r\nHost: pets.example\r\n\r\n');
    const [{ status, headers }] = await read(socket);
    expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS']);
    socket.destroy();
  });

  test('accepts a request in single bytes', async () => {
    const name = 'Émile 犬 🐕';
    const body = Buffer.from(JSON.stringify({ name }));
    const chunks = [...body].map((byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    );
    const requests = [
      Buffer.concat([Buffer.from(head('POST', '/categories', { 'content-length': `${body.length}` })), body]),
      Buffer.concat([
        Buffer.from(head('POST', '/categories', { 'transfer-encoding': 'chunked' })),
        ...chunks,
        Buffer.from('0\r\n\r\n'),
      ]),
    ];
    const socket = open();
    for (const request of requests) {
      for (const byte of request) {
        socket.write(Buffer.from([byte]));
        await turn();
      }
      const [answer] = await read(socket);
      expect([answer.status, JSON.parse(answer.body).name]).toEqual([201, name]);
    }
    socket.destroy();
  });

  test('gets 100 Continue when it expects it', async () => {
    const body = JSON.stringify({ name: 'Patient' });
    const socket = open();
    socket.write(head('POST', '/categories', { expect: '100-continue', 'content-length': `${body.length}` }));
    const [goOn] = await read(socket);
    expect(goOn.status).toBe(100);
    socket.write(body);
    expect((await read(socket))[0].status).toBe(201);
    socket.destroy();
  });

  test('rejects a request with both a length and chunks, and reads no second request in its body', async () => {
    const socket = open();
    socket.write(head('POST', '/categories', { 'content-length': '4', 'transfer-encoding': 'chunked' }));
    socket.write(`0\r\n\r\n${head('GET', '/livez')}`);
    const [answer] = await read(socket);
    expect([answer.status, answer.headers.get('connection')]).toEqual([400, 'close']);
    await once(socket, 'close');
  });
});
