import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Backlog } from '../../../src/engine/http/backlog.ts';
import { listen } from '../../../src/engine/http/listen.ts';
import { makeTemporaryFolder } from '../../support/temporary.ts';

const COUNT = 40;
/** Opens connections at once, with a request on each, says so by a file, and prints how many are answered. */
const CLIENT = `
  const { writeFileSync } = require('node:fs');
  const { connect } = require('node:net');
  const [port, file] = process.argv.slice(1);
  let [unopened, left, answered] = [${COUNT}, ${COUNT}, 0];
  for (let n = 0; n < ${COUNT}; n++) {
    let received = '';
    connect(Number(port), '127.0.0.1', () => --unopened === 0 && writeFileSync(file, ''))
      .on('data', (data) => { received += data; })
      .on('error', () => {})
      .on('close', () => {
        if (received.startsWith('HTTP/1.1 200')) answered++;
        if (--left === 0) console.log(answered);
      })
      .write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n');
  }`;
/** How long the process is blocked at a time, in milliseconds. */
const BUSY = 100;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Lets the connections wait to be accepted. */
async function listenTo(handler: RequestListener) {
  const listener = await listen(handler, { host: '127.0.0.1', port: 0, stall: 10_000 });
  const folder = makeTemporaryFolder();
  const file = join(folder.path, 'opened');
  const client = spawn(process.execPath, ['-e', CLIENT, `${listener.port}`, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  do Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY);
  while (!existsSync(file));
  folder.remove();
  return { listener, answered: text(client.stdout) };
}

/** Sets how long each turn of the event loop takes, in milliseconds, however slow the machine is. */
function setTurn(milliseconds: number): void {
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    time += milliseconds;
    return time;
  });
  // No idle connection is closed meanwhile.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

test('connections that wait to be accepted when the service stops are answered', async () => {
  const { listener, answered } = await listenTo((_, response) => response.end());
  setTurn(0);
  await listener.drain(5_000);
  expect(await answered).toBe(`${COUNT}\n`);
});

test('also when each turn of the event loop takes long', async () => {
  const { listener, answered } = await listenTo((_, response) => response.end());
  setTurn(5);
  await listener.drain(5_000);
  expect(await answered).toBe(`${COUNT}\n`);
});

test('no connection waits to be accepted while requests of others are handled', async () => {
  const accepted: number[] = [];
  const { listener, answered } = await listenTo((_, response) => {
    accepted.push(process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length);
    response.end();
  });
  setTurn(0);
  expect(await answered).toBe(`${COUNT}\n`);
  // A socket of another test may be open still.
  expect(accepted[0]).toBeGreaterThanOrEqual(COUNT);
  vi.useRealTimers();
  await listener.drain(0);
});

test('the requests of a burst of connections do not start all at once', async () => {
  const backlog = new Backlog();
  const turns = [0];
  backlog.onConnection();
  for (let n = 0; n < 120; n++) backlog.runAfterAccepting(() => turns.push((turns.pop() ?? 0) + 1));
  while (turns.reduce((sum, one) => sum + one) < 120) {
    await new Promise(setImmediate);
    turns.push(0);
  }
  expect(turns.filter((started) => started > 0)).toEqual([50, 50, 20]);
});

describe('the listening socket', () => {
  /** An ending backlog on which a request waits, with the length of its turns, and what has happened. */
  function endingBacklog(turn: { length: number }, closes = 1) {
    let time = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      time += turn.length;
      return time;
    });
    const happened: string[] = [];
    const backlog = new Backlog();
    backlog.onConnection();
    backlog.runAfterAccepting(() => happened.push('request'));
    for (let n = 0; n < closes; n++) backlog.end(500, () => happened.push('close'));
    return happened;
  }
  const turns = async (count: number) => {
    for (let n = 0; n < count; n++) await new Promise(setImmediate);
  };

  test('is closed in a short turn, in which hardly a connection can come, and before requests are started', async () => {
    const turn = { length: 1 };
    const happened = endingBacklog(turn);
    await turns(50);
    expect(happened).toEqual([]);
    turn.length = 0.01;
    await turns(2);
    expect(happened).toEqual(['close', 'request']);
  });

  test('is closed in time when no turn is short, and for each that asks for it', async () => {
    const happened = endingBacklog({ length: 50 }, 2);
    await turns(12);
    expect(happened).toEqual(['close', 'close', 'request']);
  });
});

test('requests do not wait longer than 100 ms, however many connections come', async () => {
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  const backlog = new Backlog();
  let startedAt: number | undefined;
  backlog.onConnection();
  backlog.runAfterAccepting(() => {
    startedAt = time;
  });
  for (; startedAt === undefined && time < 200; time += 10) {
    backlog.onConnection();
    await new Promise(setImmediate);
  }
  expect(startedAt).toBe(100);
});
