import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWhole } from '../support/cases.ts';
import { copyTestDatabase, type DatabaseCopy, databaseKind, hasCommonTests } from '../support/database.ts';
import {
  BUILT,
  withService as runService,
  runToEnd,
  type Service,
  settingsFor,
  startService,
} from '../support/service.ts';

let copy: DatabaseCopy;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  copy = await copyTestDatabase();
  environment = settingsFor(copy.location);
});
afterAll(() => copy?.dispose());

function withService(more: Readonly<Record<string, string>>, work: (service: Service) => Promise<void>): Promise<void> {
  return runService({ ...environment, ...more }, work);
}

function post(base: string, path: string, body: unknown): Promise<Response> {
  return fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('the service as a process', () => {
  test('a confirmed change survives a kill and the next start', async () => {
    let location = '';
    const create = async ({ base }: Service) => {
      const created = await post(base, '/categories', { name: 'Kept' });
      location = new URL(created.headers.get('location') ?? '').pathname;
    };
    // What `npm start` runs; all else here starts its bundle.
    await runService(environment, create, BUILT);
    await withService({}, async ({ base }) => {
      expect(await (await fetch(base + location)).json()).toMatchObject({ name: 'Kept' });
    });
  });

  test.each([
    [
      {},
      'everyone can read and change everything, and so can any web page that a user of this machine opens (CORS_ORIGINS)',
    ],
    [{ CORS_ORIGINS: '' }, 'everyone can read and change everything; '],
    [
      { NODE_ENV: 'production', AUTH: 'open', ...(databaseKind === 'embedded' && { DATABASE: 'embedded' }) },
      'everyone can read and change everything, ',
    ],
  ])('with %o warns at its start of what it leaves open', async (more, warning) => {
    await withService(more, async ({ output }) => expect(output()).toContain(warning));
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s finishes the request in progress, accepts no more connections, and exits with 0',
    async (signal) => {
      await withService({}, async (service) => {
        const body = JSON.stringify({ name: 'Slow' });
        const slow = httpRequest(`${service.base}/categories`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
        });
        const answered = new Promise<number | undefined>((resolve, reject) => {
          slow.once('response', (response) => resolve(response.statusCode));
          slow.once('error', reject);
        });
        slow.write(body.slice(0, 5));
        await fetch(`${service.base}/livez`);
        const ended = service.stop(signal);
        await expect.poll(() => service.output()).toContain('stopping');
        // An open connection may send one more request that was under way; new connections are rejected.
        const last = await fetch(`${service.base}/livez`);
        expect([last.status, last.headers.get('connection')]).toEqual([200, 'close']);
        await expect(fetch(`${service.base}/livez`)).rejects.toThrow();
        const began = performance.now();
        slow.end(body.slice(5));
        expect(await answered).toBe(201);
        expect(await ended).toBe(0);
        // Less than the grace period: no idle connection is kept open.
        expect(performance.now() - began).toBeLessThan(5_000);
        expect(service.output()).toContain('"msg":"stopped"');
      });
    },
  );

  test('SIGTERM closes idle connections, and waits only for those in use', async () => {
    await withService({}, async (service) => {
      const { hostname, port } = new URL(service.base);
      const open = () => connect(Number(port), hostname);
      const [idle, used] = [open(), open()];
      idle.write('GET /livez HTTP/1.1\r\nHost: pets.example\r\n\r\n');
      used.write('POST /categories HTTP/1.1\r\nHost: pets.example\r\nContent-Length: 100\r\n\r\n{');
      await once(idle, 'data');
      const ended = service.stop('SIGTERM');
      await once(idle, 'close');
      expect([service.process.exitCode, used.readyState]).toEqual([null, 'open']);
      used.destroy();
      expect(await ended).toBe(0);
    });
  });

  test('a request that is cut off changes nothing, and other requests still succeed', async () => {
    await withService({}, async (service) => {
      const { hostname, port } = new URL(service.base);
      const everything = async () => {
        const query =
          '{ pets { totalCount } categories { totalCount } orders { totalCount } inventory { totalCount } }';
        return (await post(service.base, '/graphql', { query })).json();
      };
      const before = await everything();
      for (const [method, path] of [
        ['POST', '/pets'],
        ['PUT', '/pets/1'],
        ['PATCH', '/pets/1'],
        ['POST', '/categories'],
        ['PUT', '/categories/1'],
        ['POST', '/store/orders'],
        ['PATCH', '/store/orders/1'],
        ['PUT', '/store/inventory/1'],
        ['POST', '/graphql'],
      ]) {
        for (const length of [
          'Content-Length: 100\r\n\r\n{"name"',
          'Transfer-Encoding: chunked\r\n\r\n64\r\n{"name"',
        ]) {
          const socket = connect(Number(port), hostname);
          socket.write(
            `${method} ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n${length}`,
          );
          await new Promise((resolve) => setTimeout(resolve, 30));
          socket.destroy();
        }
      }
      expect(await everything()).toEqual(before);
      expect(service.output()).not.toContain('"level":50');
      expect((await fetch(`${service.base}/livez`)).status).toBe(200);
    });
  });

  test('/metrics counts requests by protocol, operation and status, and times the database', async () => {
    await withService({}, async ({ base }) => {
      await fetch(`${base}/pets/9000000000`);
      await post(base, '/graphql', { query: 'query Name { pets { nodes { id } } }' });
      const text = await (await fetch(`${base}/metrics`)).text();
      expect(text).toMatch(/http_requests_total\{protocol="rest",operation="getPet",status="404"\} 1/);
      expect(text).toMatch(/http_requests_total\{protocol="graphql",operation="pets",status="200"\} 1/);
      expect(text).toMatch(/db_statement_duration_seconds_count\{statement="pets\.byKeys"\} 1/);
      expect(text).toMatch(/db_batch_size_count\{batch="pets\.byKeys"\} 1/);
    });
  });

  if (hasCommonTests) {
    test('with AUTH=required logs no warning', async () => {
      await withService({ AUTH: 'required' }, async ({ output }) => expect(output()).not.toContain('"level":40'));
    });

    test('malformed HTTP is answered with the Error object and a request id', async () => {
      await withService({}, async ({ base }) => {
        const { hostname, port } = new URL(base);
        for (const [request, words] of [
          ['nonsense\r\n\r\n', 'cannot be read'],
          ['GET /pets HTTP/1.1\r\n\r\n', 'Host'],
          ['GET /pets?name=Zo\u00eb HTTP/1.1\r\nHost: x\r\n\r\n', 'percent-encoded'],
          [`GET /pets HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '16 KiB'],
          ['GET /pets HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n', 'Expect'],
          ['CONNECT pets.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', 'CONNECT'],
        ] as const) {
          const socket = connect(Number(port), hostname);
          let answer = '';
          socket.on('data', (chunk) => {
            answer += chunk;
          });
          socket.write(request);
          await once(socket, 'close');
          expect(answer).toMatch(/^HTTP\/1\.1 400 /);
          expect(answer).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/);
          const { message, ...rest } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
          expect(rest).toEqual({ code: 'INVALID_ARGUMENT', status: 400 });
          expect(message).toContain(words);
        }
      });
    });

    test('at LOG_LEVEL=debug each request is a log line with its id, and no line has a body or a secret', async () => {
      await withService({ LOG_LEVEL: 'debug' }, async (service) => {
        const id = randomUUID();
        const secret = `Nobody${randomUUID()}`;
        await fetch(`${service.base}/categories?name=${secret}`, {
          headers: { 'x-request-id': id, authorization: secret },
        });
        await post(service.base, '/categories', { name: secret });
        await expect.poll(() => service.output()).toContain(id);
        const line =
          service
            .output()
            .split('\n')
            .find((candidate) => candidate.includes(id)) ?? '';
        expect(JSON.parse(line)).toMatchObject({
          requestId: id,
          method: 'GET',
          path: '/categories',
          protocol: 'rest',
          operation: 'listCategories',
          status: 200,
        });
        expect(service.output()).not.toContain(secret);
        const password = new URL(environment.DATABASE_URL ?? 'postgres://none:unused-password@host').password;
        if (password !== '') expect(service.output()).not.toContain(password);
      });
    });
  }
});

describe('a start that fails prints one clear line, and exits with 1', () => {
  const startToEnd = (more: Record<string, string>) => runToEnd('main', [], { ...environment, ...more });

  if (hasCommonTests) {
    test('a port in use', async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => holder.once('listening', resolve));
      const { port } = holder.address() as { port: number };
      const { code, errors } = await startToEnd({ PORT: String(port) });
      holder.close();
      expect(code).toBe(1);
      expect(errors).toBe(`Port ${port} on 127.0.0.1 is taken; stop what uses it, or set PORT to another.\n`);
    });

    test('an unreachable database, without its password', async () => {
      const { code, errors } = await startToEnd({ DATABASE_URL: 'postgres://someone:secret@127.0.0.1:9/pets' });
      expect(code).toBe(1);
      expect(errors).toMatch(/^The database at 127\.0\.0\.1:9\/pets cannot be used: .*ECONNREFUSED.*\n$/);
      expect(errors).not.toContain('secret');
    });

    test('a database that accepts a connection and does not answer, soon', async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as { port: number };
      const url = `postgres://127.0.0.1:${port}/pets`;
      const { code, errors } = await startToEnd({ DATABASE_URL: url, REQUEST_TIMEOUT: '2' });
      expect([code, errors]).toEqual([
        1,
        `The database at 127.0.0.1:${port}/pets cannot be used: it does not answer.\n`,
      ]);
      silent.close();
    });
  }

  test('bad settings, all errors at once', async () => {
    const { code, errors } = await startToEnd({
      PORT: '70000',
      BASE_PATH: 'api/',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
    });
    expect(code).toBe(1);
    const lines = errors.trim().split('\n');
    expect(lines).toHaveLength(5);
    for (const name of ['PORT', 'BASE_PATH', 'LOG_LEVEL', 'DATABASE_URL']) expect(errors).toContain(`${name} must be`);
  });
});

describe('the command that loads data', () => {
  test('adds the given number of pets, whose stock and statuses follow the rules', async () => {
    const countPets = async ({ base }: Service) =>
      (await (await post(base, '/graphql', { query: '{ pets { totalCount } }' })).json()).data.pets.totalCount;
    let before = 0;
    await withService({}, async (service) => {
      before = await countPets(service);
    });
    const { code, output } = await runToEnd('commands/seed', ['--pets', '3000'], environment);
    expect(code).toBe(0);
    expect(output).toMatch(/3,000 of 3,000 pets, [\d,]+\/s/);
    await withService({}, async (service) => {
      expect(await countPets(service)).toBe(before + 3000);
      const query = '{ inventory(first: 100) { nodes { quantity status pet { orders { nodes { complete } } } } } }';
      const { data } = await (await post(service.base, '/graphql', { query })).json();
      for (const { quantity, status, pet } of data.inventory.nodes) {
        const isOpen = pet.orders.nodes.some(({ complete }: { complete: boolean }) => !complete);
        expect(status).toBe(quantity > 0 ? 'available' : isOpen ? 'pending' : 'sold');
      }
    });
  });

  test('rejects an invalid number', async () => {
    const { code, errors } = await runToEnd('commands/seed', ['--pets', 'many'], environment);
    expect(code).toBe(1);
    expect(errors).toBe('--pets must be a whole number from 1 to 10000000, not many.\n');
  });
});

if (databaseKind === 'embedded') {
  describe('the embedded database', () => {
    test('rejects a second process on its folder, and says which process holds it', async () => {
      await withService({}, async (service) => {
        const { code, errors } = await runToEnd('main', [], { ...environment, PORT: '0' });
        expect(code).toBe(1);
        expect(errors).toContain(`is in use by process ${service.pid} on `);
        expect(errors.trim().split('\n')).toHaveLength(1);
      });
    });

    test('is held by one of eight processes that start at once', async () => {
      const starts = await Promise.allSettled(Array.from({ length: 8 }, () => startService(environment)));
      const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      await Promise.all(started.map((service) => service.stop()));
      expect(started).toHaveLength(1);
      expect(started[0]?.process.exitCode).toBe(0);
    });

    test('is readable only by its user, and gets example data on its first start only', async () => {
      const folder = `${environment.DATA_DIR}/fresh`;
      const count = async (service: Service) =>
        (
          await (
            await post(service.base, '/graphql', { query: '{ pets { totalCount } categories { totalCount } }' })
          ).json()
        ).data;
      const expected = { pets: { totalCount: 200 }, categories: { totalCount: 12 } };
      for (const _ of ['first start', 'second start']) {
        await withService({ DATA_DIR: folder }, async (service) => {
          expect((await stat(folder)).mode & 0o077).toBe(0);
          expect(await count(service)).toEqual(expected);
        });
      }
    });
  });
} else {
  describe('a server database', () => {
    test('is migrated once by eight processes that start at once, and never seeded by itself', async () => {
      const empty = `migrate_${randomUUID().replaceAll('-', '')}`;
      const url = new URL(environment.DATABASE_URL ?? '');
      const { administer } = await import('../support/admin.ts');
      await administer(url.href, `create database ${empty}`);
      url.pathname = `/${empty}`;
      const services = await Promise.all(Array.from({ length: 8 }, () => startService({ DATABASE_URL: url.href })));
      const migrated = services.filter((service) => service.output().includes('migrating the database'));
      const counts = await Promise.all(
        services.map(async ({ base }) => (await (await fetch(`${base}/pets`)).json()) as unknown[]),
      );
      await Promise.all(services.map((service) => service.stop()));
      await administer(environment.DATABASE_URL ?? '', `drop database ${empty} with (force)`);
      expect(migrated).toHaveLength(1);
      expect(counts).toEqual(Array.from({ length: 8 }, () => []));
    });

    const [orders, stock] = isWhole ? [10_000, 3_000] : [2_000, 600];
    test(`is never oversold: 4 processes, ${orders} concurrent orders, ${stock} in stock`, async () => {
      const services = await Promise.all(Array.from({ length: 4 }, () => startService(environment)));
      const [{ base }] = services as [Service];
      const category = await (await post(base, '/categories', { name: 'Rush' })).json();
      const pet = await (await post(base, '/pets', { name: 'Wanted', categoryId: category.id })).json();
      await fetch(`${base}/store/inventory/${pet.id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ quantity: stock }),
      });
      const statuses: Record<number, number> = {};
      let left = orders;
      const client = async (service: Service) => {
        while (left-- > 0) {
          const { status, body } = await post(service.base, '/store/orders', { petId: pet.id });
          await body?.cancel();
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: 64 }, (_, index) => client(services[index % 4] as Service)));
      const item = await (await fetch(`${base}/store/inventory/${pet.id}`)).json();
      const query = `{ orders(petId: [${pet.id}]) { totalCount } }`;
      const { data } = await (await post(base, '/graphql', { query })).json();
      await Promise.all(services.map((service) => service.stop()));
      expect(statuses).toEqual({ 201: stock, 409: orders - stock });
      expect(item).toMatchObject({ quantity: 0, status: 'pending' });
      expect(data.orders.totalCount).toBe(stock);
    }, 120_000);
  });
}
