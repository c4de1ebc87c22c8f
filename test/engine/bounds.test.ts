import '../../src/process/heap.ts';
import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { batchedByShape } from '../../src/engine/db/batch-by-shape.ts';
import { Database } from '../../src/engine/db/client.ts';
import { openEmbedded } from '../../src/engine/db/embedded.ts';
import { nodeListener } from '../../src/engine/http/node.ts';
import { clientOf } from '../../src/engine/lifecycle/client.ts';
import { createAccounts } from '../../src/engine/limits/account.ts';
import { createConcurrencyLimiter } from '../../src/engine/limits/concurrency.ts';
import { CpuThrottle } from '../../src/engine/limits/cpu-throttle.ts';
import { createRateLimiter } from '../../src/engine/limits/rate.ts';
import { COMPILED_AT, PreparedDocuments } from '../../src/engine/operation/documents.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { openBookshop } from '../support/bookshop.ts';
import { growthOf } from '../support/heap.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

const { schema } = petStoreService;

const numbers = (count: number) => [...Array(count).keys()];

describe('memory does not grow', () => {
  const shop = openBookshop();
  const ask = async (query: string, status: number, fields = {}) => {
    expect((await shop.graphql(query, {}, fields)).status).toBe(status);
  };

  test('with the number of compiled operations', async () => {
    const fields = 'id title isbn blurb score';
    const query = (n: number) =>
      `{ ${numbers(12)
        .map((at) => `b${at}: books { ${fields} n${n}: id }`)
        .join(' ')} }`;
    const send = async (from: number, until: number) => {
      for (let n = from; n < until; n++) for (let times = 0; times < COMPILED_AT + 1; times++) await ask(query(n), 200);
    };
    // More than are kept.
    await send(0, 25);
    expect(await growthOf(() => send(25, 55))).toBeLessThan(7.5);
  });

  test('with the number of invalid documents, whose errors are many times larger', async () => {
    const query = (n: number) =>
      `{ ${numbers(60)
        .map((at) => `no${n * 60 + at}`)
        .join(' ')} }`;
    const send = async (from: number, until: number) => {
      for (let n = from; n < until; n++) for (let times = 0; times < 3; times++) await ask(query(n), 400);
    };
    await send(0, 5);
    expect(await growthOf(() => send(5, 105))).toBeLessThan(2);
  });

  test('with the number of unknown operation names', async () => {
    const send = async (from: number, until: number) => {
      for (let n = from; n < until; n++) {
        const operationName = `unknown${n}`.padEnd(5_000, '_');
        const { status } = await shop.graphql('query known { books { id } }', { operationName });
        expect(status).toBe(400);
      }
    };
    await send(0, 100);
    expect(await growthOf(() => send(100, 1_100))).toBeLessThan(2);
  });

  test('with the number of different filters that lists are read with', async () => {
    const none = async () => [];
    const notUsed = () => Promise.reject(new Error('It is not used.'));
    const database = new Database({ kind: 'embedded', query: none, transaction: notUsed, close: notUsed });
    const read = batchedByShape(
      database,
      'any',
      () => none,
      async (_, requests) => requests.map(() => 0),
    );
    const send = async (count: number) => {
      await Promise.all(numbers(count).map((n) => read({ shape: 'byName', values: { name: `${n}`.padEnd(1_000) } })));
    };
    await send(100);
    expect(await growthOf(() => send(5_000))).toBeLessThan(2);
  });

  test('by more than 5 MiB for a document, however large its expanded selection and conditions are', async () => {
    const documents = new PreparedDocuments(schema);
    const conditions = '... @include(if: $a) @skip(if: $b) { ';
    const document = (n: number) =>
      parse(`query q${n}($a: Boolean!, $b: Boolean!, $n: Int = 1) {
        pets(first: 1) { nodes { ${conditions.repeat(92)} ${'...F '.repeat(230)} ${'}'.repeat(92)} } }
      } fragment F on Pet { ${'orders(first: $n) { totalCount } '.repeat(10)} }`);
    const prepared: unknown[] = [];
    const prepare = (n: number) => {
      const one = document(n);
      prepared.push(one, documents.prepare(`${n}`, one, undefined));
    };
    prepare(0);
    expect(await growthOf(() => numbers(10).forEach(prepare))).toBeLessThan(50);
    expect(prepared).toHaveLength(22);
  });

  test('by more than 0.5 MiB for a short document, in however many places its fragments select the same', async () => {
    const documents = new PreparedDocuments(schema);
    const everywhere = (name: string, within: string) =>
      `fragment ${name} on Pet {
        category { pets(first: 1) { nodes { ${within} } } } orders(first: 1) { nodes { pet { ${within} } } } inventory { pet { ${within} } }
      }`;
    const document = (n: number) =>
      parse(`query q${n}($x: Boolean!, $n: Int = 1) {
          pets(first: 1) { nodes { ...A } } events(first: $n) { nodes { data { ... on Pet { id } ... on Order { id } } } }
        }
        ${everywhere('A', '...B')} ${everywhere('B', '...C')} ${everywhere('C', '...D')} ${everywhere('D', '...F @include(if: $x)')}
        fragment F on Pet {
          category { id name description version pets(first: $n) { totalCount nodes { id name status version } } }
          inventory { petId quantity status version } orders(first: $n) { nodes { id petId quantity shipDate complete version } }
        }`);
    const prepared: unknown[] = [];
    const prepare = (n: number) => prepared.push(documents.prepare(`${n}`, document(n), undefined));
    prepare(0);
    expect(await growthOf(() => numbers(20).forEach(prepare))).toBeLessThan(10);
    expect(prepared).toHaveLength(21);
  });

  test.each(['POST', 'GET'])(
    'by more than 2 MiB for the body of a %s, however short its chunks are',
    async (method) => {
      const chunks = 100_000;
      let arrived = 0;
      let answer = () => {};
      const end = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const listener = nodeListener(
        async ({ readBody }) => {
          await (method === 'POST' ? readBody(chunks, 'me') : end);
          return { status: 204, headers: [], body: null, encoding: 'utf8', caller: 'me' };
        },
        () => {},
      );
      const server = createServer((message, response) => {
        listener(message, response);
        message.push = function push(this: IncomingMessage, chunk: Buffer | null) {
          arrived += chunk?.length ?? 0;
          return IncomingMessage.prototype.push.call(this, chunk);
        };
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const growth = await growthOf(async () => {
        socket.write(`${method} / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
        socket.write('1\r\n1\r\n'.repeat(chunks));
        await expect.poll(() => arrived, { timeout: 30_000 }).toBeGreaterThan(20_000);
      });
      answer();
      socket.write('0\r\n\r\n');
      expect(`${(await once(socket, 'data'))[0]}`).toMatch(/^HTTP\/1.1 204 /);
      socket.destroy();
      server.close();
      expect(growth).toBeLessThan(2);
    },
  );

  test('with the number of statements that the embedded database has run', async () => {
    const folder = makeTemporaryFolder();
    const { query, close } = await openEmbedded(join(folder.path, 'data'));
    const send = async (count: number) => {
      for (let n = 0; n < count; n++) await query('select generate_series(1, 10)', [], 'lookup');
    };
    await send(500);
    expect(await growthOf(() => send(5_000))).toBeLessThan(2);
    await close();
    folder.remove();
  });

  test('with the callers whose work is done, nor with the work', async () => {
    const concurrency = createConcurrencyLimiter(1_000, 600_000);
    const throttle = new CpuThrottle(1);
    const send = async (from: number) => {
      for (let n = from; n < from + 20_000; n++) {
        await concurrency.run(() => n, { account: `ip:${n}`, units: 1 });
        await throttle.wait(`ip:${n}`, 1);
        // A turn takes as long as the event loop is busy, and its pause too.
        if (n % 100 === 0) await sleep(0);
      }
      await sleep(200);
    };
    await send(0);
    expect(await growthOf(() => send(20_000))).toBeLessThan(2);
  });

  test('with the responses that were in progress together, once they are sent', async () => {
    const concurrency = createConcurrencyLimiter(1_000, 600_000);
    const answer = (n: number) => concurrency.run(async () => Array(1_000).fill(n), { account: `ip:${n}`, units: 1 });
    const growth = await growthOf(async () => {
      await Promise.all(numbers(1_000).map(answer));
    });
    expect(growth).toBeLessThan(2);
    expect(await answer(1)).toHaveLength(1_000);
  });

  test.each([
    ['comes after forged ones', `${'x'.repeat(10_000)}, `, ''],
    ['has a port', `${'x'.repeat(10_000)}, `, ':50001'],
    ['is no address', '', 'x'.repeat(10_000)],
  ])('with the length of an X-Forwarded-For field whose address %s', async (_, before, after) => {
    const accountOf = createAccounts(1);
    const account = (n: number) => accountOf({ get: () => `${before}198.51.100.${n}${after}` }, () => '');
    const accounts: string[] = [];
    expect(await growthOf(() => void accounts.push(...numbers(2_000).map(account)))).toBeLessThan(2);
    expect(new Set(accounts).size).toBe(2_000);
  });

  test('with the number of client names', async () => {
    const send = (from: number) => {
      for (let n = from; n < from + 20_000; n++) {
        clientOf(new Headers({ 'api-client': `${n}`.padEnd(400, 'x') }));
        clientOf(new Headers({ 'user-agent': `${n}`.padEnd(400, 'x') }));
      }
    };
    send(0);
    expect(await growthOf(() => send(20_000))).toBeLessThan(2);
  });

  test('with the length of the header fields with client names', async () => {
    const name = (n: number) => clientOf(new Headers({ 'user-agent': `client-number-${n}/${'1'.repeat(10_000)}` }));
    const names: string[] = [];
    expect(await growthOf(() => void names.push(...numbers(2_000).map(name)))).toBeLessThan(2);
    expect(new Set(names).size).toBe(2_000);
  });
});

test.each(['embedded', 'server'])(
  'memory does not grow with the number of charged callers, on the database %s',
  async (kind) => {
    const database = { kind, statement: () => async () => [] };
    const quota = { units: 10, seconds: 60 };
    const limiter = createRateLimiter(
      quota,
      database as never,
      () => 0,
      () => {},
    );
    const send = (from: number) => {
      for (let n = from; n < from + 50_000; n++) limiter.charge(`ip:${n}`, 1);
    };
    send(0);
    expect(await growthOf(() => send(50_000))).toBeLessThan(2);
  },
);
