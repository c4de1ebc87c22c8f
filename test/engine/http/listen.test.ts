import { once } from 'node:events';
import { IncomingMessage, type RequestListener } from 'node:http';
import { connect, Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../src/engine/http/listen.ts';

const [MAY_SEND, HAS_SENT] = [1, 2];
/** A thread that connects, sends a request when it may, and reports the response's first line. */
const CLIENT = `
  const { parentPort, workerData: { port, state } } = require('node:worker_threads');
  const socket = require('node:net').connect(port, '127.0.0.1', () => {
    parentPort.postMessage('connected');
    Atomics.wait(state, 0, 0);
    socket.write('GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n', () => Atomics.store(state, 0, ${HAS_SENT}));
  });
  socket.once('data', (data) => parentPort.postMessage(String(data).split('\\r\\n', 1)[0]));
  socket.once('error', ({ code }) => parentPort.postMessage(code));
`;

test.each([
  ['EACCES', 'Port 80 on 127.0.0.1 needs more rights; set PORT to one above 1023.'],
  ['EADDRINUSE', 'Port 80 on 127.0.0.1 is taken; stop what uses it, or set PORT to another.'],
  ['EADDRNOTAVAIL', 'Cannot listen on 127.0.0.1:80: listen EADDRNOTAVAIL.'],
])('a port on which it cannot listen (%s) is an error that says what to do', async (code, message) => {
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
    this.emit('error', Object.assign(new Error(`listen ${code}`), { code }));
    return this;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(listen(() => {}, { host: '127.0.0.1', port: 80, stall: 10_000 })).rejects.toThrow(new Error(message));
});

test('connections that cannot be accepted, for lack of memory, are reported, and the process goes on', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen');
  const failures: unknown[] = [];
  const listener = await listen((_, response) => response.end('text'), {
    host: '127.0.0.1',
    port: 0,
    stall: 10_000,
    onFailure: (error) => failures.push(error),
  });
  // What Node's server does when the system rejects `accept`.
  const [server] = listening.mock.contexts as [Server];
  listening.mockRestore();
  const error = new Error('accept ENOBUFS');
  for (let time = 0; time < 3; time++) server.emit('error', error);
  expect(failures).toEqual([error, error, error]);
  expect(await (await fetch(`http://127.0.0.1:${listener.port}`)).text()).toBe('text');
  await listener.drain(0);
});

test('a drain answers the first request of a connection that arrives while the process is busy', async () => {
  const listener = await listen((_, response) => response.end('text'), { host: '127.0.0.1', port: 0, stall: 10_000 });
  const state = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(CLIENT, { eval: true, workerData: { port: listener.port, state } });
  await once(client, 'message');
  const answer = once(client, 'message');
  const beBusy = () => {
    Atomics.store(state, 0, MAY_SEND);
    Atomics.notify(state, 0);
    // Longer than idle connections stay open.
    for (const end = performance.now() + 600; performance.now() < end || Atomics.load(state, 0) !== HAS_SENT; );
  };
  // Until the connection is accepted.
  for (let turns = 0; turns < 3; turns++) await turn();
  const drained = listener.drain(7_000);
  setImmediate(beBusy);
  await drained;
  expect(await answer).toEqual(['HTTP/1.1 200 OK']);
  await client.terminate();
});

test('a drain does not wait for connections that have sent nothing, as browsers open in advance', async () => {
  const { port, drain } = await listen(() => {}, { host: '127.0.0.1', port: 0, stall: 10_000 });
  const socket = connect(port, '127.0.0.1').resume();
  await once(socket, 'connect');
  const started = performance.now();
  await Promise.all([drain(7_000), once(socket, 'close')]);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test.each([
  ['a request after it', 'GET / HTTP/1.1\r\n\r\nGET /later HTTP/1.1\r\nHost: a\r\n\r\n', [], [400]],
  [
    'the incomplete one, which waits for another',
    'GET /first HTTP/1.1\r\nHost: a\r\n\r\nPOST /incomplete HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\ng\r\n',
    ['/first'],
    [200, 400],
  ],
])('of a connection with a rejected request, %s is not handled', async (_, bytes, handled, statuses) => {
  const urls: (string | undefined)[] = [];
  const handler: RequestListener = ({ url }, response) => {
    urls.push(url);
    setImmediate(() => response.end('text'));
  };
  const { port, drain } = await listen(handler, { host: '127.0.0.1', port: 0, stall: 10_000 });
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answers = '';
  socket.on('data', (text) => {
    answers += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  await drain(0);
  expect(urls).toEqual(handled);
  expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))).toEqual(statuses);
});

describe('a body in thousands of tiny chunks', () => {
  const chunk = (length: number) => `${length.toString(16)}\r\n${' '.repeat(length)}\r\n`;

  async function answerTo(body: string, handler: RequestListener): Promise<string> {
    const { port, drain } = await listen(handler, { host: '127.0.0.1', port: 0, stall: 10_000 });
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => {});
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write(`${body}0\r\n\r\n`);
    await once(socket, 'close');
    await drain(0);
    return answer;
  }
  const reads: RequestListener = (request, response) => request.resume().once('end', () => response.end('text'));
  const waits: RequestListener = (_, response) => setTimeout(() => response.end('text'), 200);

  test.each([
    ['read', reads],
    ['not read', waits],
  ])('is rejected, because others would wait for each: %s', async (_, handler) => {
    expect(await answerTo(chunk(1).repeat(5_000), handler)).toMatch(
      /^HTTP\/1.1 400 .*"The body has more than 1000 chunks/s,
    );
  });

  test('is read in turns, so that others are answered meanwhile', async () => {
    let [together, most] = [0, 0];
    let next = setImmediate(function count() {
      together = 0;
      next = setImmediate(count);
    });
    const { push } = IncomingMessage.prototype;
    vi.spyOn(IncomingMessage.prototype, 'push').mockImplementation(function (this: IncomingMessage, bytes) {
      most = Math.max(most, ++together);
      return push.call(this, bytes);
    });
    onTestFinished(() => {
      clearImmediate(next);
      vi.restoreAllMocks();
    });
    expect(await answerTo(chunk(64).repeat(15_000), reads)).toContain('200 OK');
    expect(await answerTo(chunk(64).repeat(15_000), waits)).toContain('200 OK');
    // Node reads 64 KiB at once: 936 of these chunks.
    expect(most).toBeGreaterThan(100);
    expect(most).toBeLessThan(1_000);
  });

  test.each([
    ['they are at most a thousand', chunk(1).repeat(1_000)],
    ['they are longer', chunk(64).repeat(5_000)],
  ])('is accepted if %s', async (_, body) => {
    expect(await answerTo(body, reads)).toContain('200 OK');
  });
});
