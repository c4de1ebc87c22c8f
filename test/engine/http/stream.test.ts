import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { nodeListener } from '../../../src/engine/http/node.ts';

test.each(['after', 'now'] as const)('what is written to a stream that was ended (%s) is left out', async (how) => {
  const errors: unknown[] = [];
  const listener = nodeListener(async () => ({
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
  const server = createServer((message, response) => {
    response.on('error', (error) => errors.push(error));
    listener(message, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).then((response) =>
    response.text(),
  );
  const [result] = await Promise.allSettled([answer]);
  expect(result).toMatchObject(how === 'after' ? { value: 'first' } : { status: 'rejected' });
  expect(errors).toEqual([]);
  server.close();
});
