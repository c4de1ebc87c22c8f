import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
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
    body: {
      start(sink) {
        sink.write('first');
        sink.end(how);
        sink.write('late');
      },
    },
  }));
  const [result] = await Promise.allSettled([fetch(base).then((response) => response.text())]);
  expect(result).toMatchObject(how === 'after' ? { value: 'first' } : { status: 'rejected' });
  expect(failures).toEqual([]);
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
