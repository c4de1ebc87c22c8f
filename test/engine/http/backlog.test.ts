import { spawn } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listen } from '../../../src/engine/http/listen.ts';

const COUNT = 40;
/** Opens connections at once, with a request on each, and prints how many are answered. */
const CLIENT = `
  const { connect } = require('node:net');
  let [left, answered] = [${COUNT}, 0];
  for (let n = 0; n < ${COUNT}; n++) {
    let received = '';
    connect(Number(process.argv[1]), '127.0.0.1')
      .on('data', (data) => { received += data; })
      .on('error', () => {})
      .on('close', () => {
        if (received.startsWith('HTTP/1.1 200')) answered++;
        if (--left === 0) console.log(answered);
      })
      .write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n');
  }`;
/** Enough for the client to start and to connect, in milliseconds. */
const BUSY = 1_500;

/** Lets the connections wait to be accepted. */
async function listenTo(handler: RequestListener) {
  const listener = await listen(handler, { host: '127.0.0.1', port: 0, stall: 10_000 });
  const client = spawn(process.execPath, ['-e', CLIENT, `${listener.port}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY);
  return { listener, answered: text(client.stdout) };
}

test('connections that wait to be accepted when the service stops are answered', async () => {
  const { listener, answered } = await listenTo((_, response) => response.end());
  await listener.drain(5_000);
  expect(await answered).toBe(`${COUNT}\n`);
});

test('no connection waits to be accepted while requests of others are handled', async () => {
  const accepted: number[] = [];
  const { listener, answered } = await listenTo((_, response) => {
    accepted.push(process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length);
    response.end();
  });
  expect(await answered).toBe(`${COUNT}\n`);
  expect(accepted[0]).toBe(COUNT);
  await listener.drain(0);
});
