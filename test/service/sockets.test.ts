import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { listen } from '../../src/engine/http/listen.ts';
import { hasCommonTests } from '../support/database.ts';
import { read, startOwnService } from '../support/sockets.ts';

const service = startOwnService();
const { open, head, connections, isWell } = service;

if (hasCommonTests) {
  describe('a body that is too large', () => {
    const large = 'x'.repeat(5 * 2 ** 20);

    test.each(['/categories', '/graphql'])(
      'is 413 for %s, and the client gets the response while it still sends',
      async (path) => {
        for (let n = 0; n < 10; n++) {
          const body = n % 2 === 0 ? large : new Blob([large]).stream();
          const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' };
          const answer = await fetch(service.base + path, options as RequestInit);
          expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close']);
          expect(await answer.text()).toContain('1 MiB');
        }
        expect(await isWell()).toBe(true);
      },
    );

    test('in tiny chunks is not read without end either, even if nobody wants it', async () => {
      const socket = open();
      socket.on('error', () => {});
      socket.write(head('POST', '/nowhere', { 'transfer-encoding': 'chunked' }));
      const [{ status }] = await read(socket);
      expect(status).toBe(404);
      const closed = once(socket, 'close');
      let further = '';
      socket.on('data', (text) => {
        further += text;
      });
      socket.write('1\r\n \r\n'.repeat(5_000));
      await closed;
      expect(further).toBe('');
    });

    test('is not read without end', async () => {
      const socket = open();
      socket.write(head('POST', '/categories', { 'transfer-encoding': 'chunked' }));
      const chunk = `10000\r\n${'x'.repeat(2 ** 16)}\r\n`;
      const sending = setInterval(() => socket.writable && socket.write(chunk), 5);
      const began = performance.now();
      const [{ status }] = await read(socket);
      expect(status).toBe(413);
      await once(socket, 'close');
      clearInterval(sending);
      expect(performance.now() - began).toBeLessThan(10_000);
    });
  });
}

describe('a client that goes away', () => {
  const body = JSON.stringify({ name: 'Never' });
  const query = JSON.stringify({
    query: '{ pets(first: 100) { nodes { name category { name } orders { totalCount } } } }',
  });

  test.each([
    ['in the middle of its header fields', 'POST /categories HTTP/1.1\r\nHost: x\r\nContent-'],
    ['in the middle of its body', () => head('POST', '/categories', { 'content-length': '100' }) + body],
    [
      'in the middle of a chunk',
      () => `${head('POST', '/categories', { 'transfer-encoding': 'chunked' })}64\r\n${body}`,
    ],
    ['before the response to a read', () => head('GET', '/pets?limit=100')],
    ['before the response to GraphQL', () => head('POST', '/graphql', { 'content-length': `${query.length}` }) + query],
    ['before the last of many responses', () => head('GET', '/pets?limit=100').repeat(50)],
  ])('%s, a hundred times, leaves no connection behind, and other requests still succeed', async (_, text) => {
    const before = await connections();
    const failures = service.output().match(/"level":[56]0/g)?.length;
    for (let n = 0; n < 100; n++) {
      const socket = open();
      await once(socket, 'connect');
      socket.write(typeof text === 'string' ? text : text());
      // Some close at once, some a few turns later, while the request is read or answered.
      for (let turns = n % 10; turns > 0; turns--) await turn();
      if (n % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    // Some of the pool's ten connections to the database may have been opened meanwhile.
    await expect.poll(connections, { timeout: 10_000 }).toBeLessThanOrEqual(before + 10);
    expect(await isWell()).toBe(true);
    expect(service.output().match(/"level":[56]0/g)?.length).toBe(failures);
  });
});

if (hasCommonTests) {
  describe('a response that its client does not read', () => {
    test('is not held in memory for each connection', async () => {
      const memory = async () => {
        const metrics = await (await fetch(`${service.base}/metrics`)).text();
        return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]) / 2 ** 20;
      };
      const ask = () => {
        const socket = open();
        socket.pause().write(head('GET', large));
        return socket;
      };
      const page = await (await fetch(`${service.base}/graphql`, { headers: { accept: 'text/html' } })).text();
      const [, large = ''] = /src="([^"]+graphiql\.js)"/.exec(page) ?? [];
      const headers = { 'accept-encoding': 'identity' };
      const script = await (await fetch(service.base + large, { headers })).arrayBuffer();
      expect(script.byteLength).toBeGreaterThan(2 ** 22);
      const before = await memory();
      const sockets = Array.from({ length: 40 }, ask);
      await Promise.all(sockets.map((socket) => once(socket, 'readable')));
      expect((await memory()) - before).toBeLessThan((20 * script.byteLength) / 2 ** 20);
      for (const socket of sockets) socket.destroy();
    });

    test('is dropped when its caller has too many of them, and the service keeps answering', async () => {
      const headers = { 'content-type': 'application/json' };
      const post = async (path: string, body: object) =>
        (await (await fetch(service.base + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as {
          id: number;
        };
      const { id: categoryId } = await post('/categories', { name: 'Long', description: '\u{1F415}'.repeat(2_000) });
      for (let n = 0; n < 100; n++) await post('/pets', { name: 'Rex', categoryId });
      const texts = Array.from({ length: 10 }, (_, n) => `a${n}: description`).join(' ');
      const body = JSON.stringify({
        query: `{ pets(first: 100, categoryId: [${categoryId}]) { nodes { category { ${texts} } } } }`,
      });
      const before = await connections();
      const sockets = Array.from({ length: 20 }, () => {
        const socket = open().pause();
        socket.write(head('POST', '/graphql', { 'content-length': `${body.length}` }) + body);
        return socket;
      });
      // Each response has about 8 MB; one caller may have 32 MiB. The operating system buffers a part of each.
      await expect.poll(connections, { timeout: 20_000 }).toBeGreaterThan(before + 2);
      await expect.poll(connections, { timeout: 20_000 }).toBeLessThan(before + 15);
      for (const socket of sockets) socket.destroy();
      expect(await isWell()).toBe(true);
    });

    test('is dropped, and its connection closed, when none of it is read for a while', async () => {
      const large = Buffer.alloc(2 ** 26);
      const listener = await listen((_, response) => response.end(large), { host: '127.0.0.1', port: 0, stall: 300 });
      const began = performance.now();
      const socket = connect(listener.port, '127.0.0.1').pause();
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      const closed = once(socket, 'close');
      await once(socket, 'readable');
      await listener.drain(20_000);
      expect(performance.now() - began).toBeLessThan(10_000);
      socket.on('error', () => {}).resume();
      await closed;
    });
  });
}

if (hasCommonTests) {
  describe('a rejected connection', () => {
    const rejected = [
      ['because of CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['because of its Expect field', 'GET /livez HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n'],
      ['because the Host field is missing', 'GET /livez HTTP/1.1\r\n\r\n'],
      ['because it is not HTTP', 'HELO\r\n\r\n'],
    ] as const;

    test.each(rejected)('%s may be reset, and other requests still succeed', async (_, text) => {
      for (let n = 0; n < 20; n++) {
        const socket = open();
        socket.write(text);
        await once(socket, 'data');
        socket.resetAndDestroy();
      }
      expect(await isWell()).toBe(true);
    });

    test('because of CONNECT may be reset while an earlier request is in progress', async () => {
      const socket = open();
      socket.write(head('GET', '/events?after=now&wait=5') + rejected[0][1]);
      await once(socket, 'connect');
      await sleep(100);
      socket.resetAndDestroy();
      await sleep(100);
      expect(await isWell()).toBe(true);
    });

    test('because of CONNECT does not keep the service from stopping by a response that its client does not read', async () => {
      const large = Buffer.alloc(2 ** 26);
      const listener = await listen((_, response) => response.end(large), {
        host: '127.0.0.1',
        port: 0,
        stall: 40_000,
      });
      const socket = connect(listener.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      socket.write(head('GET', '/large') + rejected[0][1]);
      await once(socket, 'readable');
      const began = performance.now();
      await listener.drain(100);
      expect(performance.now() - began).toBeLessThan(5_000);
      socket.destroy();
    });

    test.each(rejected)('%s is closed, even if its client does not close it', async (_, text) => {
      const { hostname, port } = new URL(service.base);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      socket.on('error', () => {});
      socket.write(text);
      // The connection counts from its first byte on.
      await once(socket, 'data');
      const before = await connections();
      await expect.poll(connections, { timeout: 10_000 }).toBeLessThan(before);
      socket.destroy();
    });
  });
}

test('the link to the next page is escaped, whatever characters the client sends', async () => {
  const name = '>;rel="evil",<http://evil.example';
  for (const _ of ['one', 'another']) {
    const headers = { 'content-type': 'application/json' };
    await fetch(`${service.base}/categories`, { method: 'POST', headers, body: JSON.stringify({ name }) });
  }
  const socket = open();
  socket.write(head('GET', `/categories?limit=1&name=${name}`));
  const [{ status, headers }] = await read(socket);
  expect([status, headers.get('link')]).toEqual([200, expect.stringMatching(/^<[^<>"]+>; rel="next"$/)]);
  expect(headers.get('link')).toContain(`name=${encodeURIComponent('>')};rel=`);
  socket.destroy();
});

test('the link to the next page keeps a filter with a number sign, which would end the query', async () => {
  const headers = { 'content-type': 'application/json' };
  for (const name of ['C# 1', 'C# 2']) {
    await fetch(`${service.base}/categories`, { method: 'POST', headers, body: JSON.stringify({ name }) });
  }
  const socket = open();
  socket.write(head('GET', '/categories?limit=1&name=C#'));
  const [first] = await read(socket);
  const [, next = ''] = /^<([^>]+)>/.exec(first.headers.get('link') ?? '') ?? [];
  expect(await (await fetch(next)).json()).toMatchObject([{ name: 'C# 2' }]);
  socket.destroy();
});
