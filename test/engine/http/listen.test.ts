import { once } from 'node:events';
import { connect, Server } from 'node:net';
import { expect, test, vi } from 'vitest';
import { listen } from '../../../src/engine/http/listen.ts';

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

test('a drain does not wait for connections that have sent nothing, as browsers open in advance', async () => {
  const { port, drain } = await listen(() => {}, { host: '127.0.0.1', port: 0, stall: 10_000 });
  const socket = connect(port, '127.0.0.1').resume();
  await once(socket, 'connect');
  const started = performance.now();
  await Promise.all([drain(7_000), once(socket, 'close')]);
  expect(performance.now() - started).toBeLessThan(2_000);
});
