import { once } from 'node:events';
import { Agent as HttpsAgent } from 'node:https';
import { createServer as createSocketServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, test, vi } from 'vitest';
import { CERTIFICATE } from '../../support/certificate.ts';
import { cleanUp, portOf, senderWith } from './sending.ts';

cleanUp();

describe('a receiver', () => {
  test('that answers in thousands of tiny chunks is cut, because each takes time, and its status counts', async () => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(5_000)}0\r\n\r\n`);
      });
    });
    const connected = once(server, 'connection');
    expect(await senderWith()(`http://127.0.0.1:${await portOf(server)}/`)).toMatchObject({
      status: 200,
    });
    const [socket] = await connected;
    if (!socket.closed) await once(socket, 'close');
  });

  test('that closes an idle connection when it is used again gets the request by a new one', async () => {
    let connections = 0;
    const server = createSocketServer((socket) => {
      const isFirst = connections++ === 0;
      let requests = 0;
      socket.on('data', () => {
        if (isFirst && requests++ > 0) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
      socket.on('error', () => {});
    });
    const send = senderWith();
    const url = `http://127.0.0.1:${await portOf(server)}/`;
    expect(await send(url)).toMatchObject({ status: 204 });
    expect(await send(url)).toMatchObject({ status: 204 });
    expect(connections).toBe(2);
  });

  test('that sends something on an idle connection has it closed, and gets the next request by a new one', async () => {
    let connections = 0;
    const server = createSocketServer((socket) => {
      connections++;
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        setTimeout(() => socket.write('HTTP/1.1 500 Unasked\r\ncontent-length: 0\r\n\r\n'), 200);
      });
    });
    const connected = once(server, 'connection');
    const send = senderWith();
    const url = `http://127.0.0.1:${await portOf(server)}/`;
    expect(await send(url)).toMatchObject({ status: 204 });
    const [socket] = await connected;
    await expect.poll(() => socket.closed).toBe(true);
    expect(await send(url)).toMatchObject({ status: 204 });
    expect(connections).toBe(2);
  });

  test('that changes to another protocol is an error at once', async () => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      );
    });
    const started = performance.now();
    const { status, error } = await senderWith()(`http://127.0.0.1:${await portOf(server)}/`);
    expect([status, error]).toEqual([null, 'The connection was closed without an answer.']);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('that sends interim responses without end is left before they keep the service busy', async () => {
    const server = createSocketServer((socket) => {
      const write = () => {
        while (!socket.destroyed && socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)));
      };
      socket.on('error', () => {}).on('drain', write);
      socket.once('data', write);
    });
    const started = performance.now();
    expect(await senderWith()(`http://127.0.0.1:${await portOf(server)}/`)).toEqual({
      status: null,
      error: 'The receiver sent only interim responses.',
    });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('may not begin TLS handshakes without end', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    let handshakes = 0;
    const server = createTlsServer({ ...CERTIFICATE, maxVersion: 'TLSv1.2' }, (socket) => {
      const begin = () =>
        socket.renegotiate({}, (error) => {
          if (error !== null) return socket.end('HTTP/1.1 204 No Content\r\n\r\n');
          if (++handshakes < 100) begin();
          else socket.destroy();
        });
      socket.on('error', () => {}).once('data', begin);
    });
    await senderWith()(`https://127.0.0.1:${await portOf(server)}/`);
    expect(handshakes).toBe(0);
  });

  // Node.js sends no further ones itself.
  test('that sends TLS session tickets without end is left', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const connecting = vi.spyOn(HttpsAgent.prototype, 'createConnection');
    const server = createTlsServer(CERTIFICATE, (socket) => {
      socket
        .on('error', () => {})
        .once('data', () => {
          for (let n = 0; n < 10; n++) connecting.mock.results[0]?.value.emit('session', Buffer.alloc(0));
        });
    });
    expect(await senderWith()(`https://127.0.0.1:${await portOf(server)}/`)).toEqual({
      status: null,
      error: 'The request failed with ECONNRESET.',
    });
  });

  test.each(['HTTP/1.1 200 OK\r\nno colon\r\n\r\n', '', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'])(
    'that sends %j and closes is an error or a status, and no crash',
    async (text) => {
      const server = createSocketServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(text));
      });
      const { status, error } = await senderWith()(`http://127.0.0.1:${await portOf(server)}/`);
      expect(status === 200 || /^The request failed with \w+\.$/.test(error ?? '')).toBe(true);
    },
  );
});
