import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMemory } from '../bench/measure/usage.ts';
import { type Caller, callerFrom, many } from './caller.ts';
import { onFilledService } from './filled-service.ts';
import type { Finding, Scenario } from './finding.ts';

/** The maximum memory of a process, in MiB. */
const MAX_MEMORY = 512;
/** The maximum response time of `/livez` meanwhile, and the time between two checks, in milliseconds. */
const SOON = 250;
const LOOKS = 100;
const LOOK_EVERY = 50;
/** Texts of 8,000 bytes, as many as a response with 100 pets may have. */
const LONG_TEXT = '\u{1F415}'.repeat(2_000);
const TEXTS = 9;
/** How many events have the long text: in all, more than the system takes for a socket. */
const CHANGES = 1_500;

/** Clients of one address that request as much as they may, and read nothing. */
const unreadBy = (clients: number, rate: string): Scenario =>
  unreadScenario(`answers that are not read, by ${clients} connections`, clients, rate, async (caller) => {
    const id = await makeLong(caller);
    for (let n = 0; n < 100; n++) await caller.send('PATCH', `/pets/${n + 1}`, { categoryId: id });
    const texts = many(TEXTS, (n) => `a${n}: description`);
    const query = `{ pets(first: 100, categoryId: [${id}]) { nodes { category { ${texts} } } } }`;
    const body = JSON.stringify({ query });
    const fields = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    return `POST /graphql HTTP/1.1\r\n${fields}\r\n\r\n${body}`;
  });

/** As many streams as one address may have, which have all events until more is published than the system takes. */
const streams: Scenario = unreadScenario(
  'streams that are not read, by 100 connections',
  100,
  'off',
  async (caller) => {
    const id = await makeLong(caller);
    const changeOften = async () => {
      for (let n = 0; n < CHANGES; n++) await caller.send('PATCH', `/categories/${id}`, { name: `Long ${n}` });
    };
    setTimeout(changeOften, LOOK_EVERY);
    return 'GET /events?after=now HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n';
  },
);

/** Makes a category with a long description; returns its id. */
async function makeLong(caller: Caller): Promise<number> {
  const made = await caller.send('POST', '/categories', { name: 'Long', description: LONG_TEXT });
  return (JSON.parse(`${made.text.slice(0, made.text.indexOf(','))}}`) as { id: number }).id;
}

/** @param prepare returns the request that each client sends */
function unreadScenario(
  name: string,
  clients: number,
  rate: string,
  prepare: (caller: Caller) => Promise<string>,
): Scenario {
  return {
    name: `${name} of one address, RATE_LIMIT ${rate}`,
    run: (size) =>
      onFilledService({ pets: 1_000 }, { RATE_LIMIT: rate }, async ({ base, pid }) => {
        const caller = callerFrom('127.0.0.3', base);
        const text = await prepare(caller);
        const memory = () => residentMemory(pid) ?? Number.NaN;
        const before = memory();
        const sockets = await Promise.all(Array.from({ length: clients }, () => sendSilently(base, text)));
        let [maxLength, most] = [0, before];
        for (let look = 0; look < LOOKS; look++) {
          const { took, status } = await caller.send('GET', '/livez');
          maxLength = Math.max(maxLength, status === 200 ? took : Number.POSITIVE_INFINITY);
          most = Math.max(most, memory());
          await sleep(LOOK_EVERY);
        }
        for (const socket of sockets) socket.destroy();
        caller.close();
        return findings(before, most, maxLength, SOON * size.patience);
      }),
  };
}

function findings(before: number, most: number, maxLength: number, soon: number): Finding[] {
  return [
    {
      promise: `the process stays under ${MAX_MEMORY} MiB`,
      measured: `${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most`,
      holds: most < MAX_MEMORY,
    },
    {
      promise: `/livez answers within ${soon} ms`,
      measured: `${maxLength.toFixed(0)} ms at most`,
      holds: maxLength < soon,
    },
  ];
}

async function sendSilently(base: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' }).pause();
  // The service closes the connection when its memory limit is reached.
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

export const unread: readonly Scenario[] = [unreadBy(24, '6000/60s'), unreadBy(400, 'off'), streams];
