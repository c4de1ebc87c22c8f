import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseKind, hasCommonTests } from '../support/database.ts';
import { freePort } from '../support/postgres-server.ts';
import { type Service, startService } from '../support/service.ts';
import { environment, makeDatabase, post, withService } from './processes.ts';

makeDatabase();

describe('the service as a process', () => {
  test('a confirmed change survives a kill and the next start', async () => {
    let location = '';
    const create = async ({ base }: Service) => {
      const created = await post(base, '/categories', { name: 'Kept' });
      location = new URL(created.headers.get('location') ?? '').pathname;
    };
    await withService({}, create);
    await withService({}, async ({ base }) => {
      expect(await (await fetch(base + location)).json()).toMatchObject({ name: 'Kept' });
    });
  });

  const warnings: [Readonly<Record<string, string>>, string][] = [
    [{ CORS_ORIGINS: '' }, 'everyone can read and change everything; '],
    [
      { JWT_JWKS_URL: 'https://x.example/', JWT_ISSUER: 'x', JWT_AUDIENCE: 'x', CORS_ORIGINS: '' },
      '; JWT_JWKS_URL has no effect',
    ],
    [
      { NODE_ENV: 'production', AUTH: 'open', ...(databaseKind === 'embedded' && { DATABASE: 'embedded' }) },
      'everyone can read and change everything, ',
    ],
  ];
  test.each(hasCommonTests ? warnings : warnings.slice(-1))(
    'with %o warns at its start of what it leaves open',
    async (more, warning) => {
      await withService(more, async ({ output }) => expect(output()).toContain(warning));
    },
  );

  test.each(hasCommonTests ? (['SIGTERM', 'SIGHUP'] as const) : (['SIGTERM'] as const))(
    '%s finishes the request in progress, accepts no more connections, and exits with 0',
    async (signal) => {
      // It is printed unless something, such as a timer, is left that the process would wait for.
      const atEnd = `process.on('beforeExit', () => console.log('nothing is left'))`;
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(atEnd)}`;
      await withService({ NODE_OPTIONS }, async (service) => {
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
        expect(service.output()).toContain('nothing is left');
      });
    },
  );

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
    describe('with one start', () => {
      let service: Service;
      beforeAll(async () => {
        service = await startService({ ...environment, DATA_DIRS: 'x' });
      });
      afterAll(() => service?.stop('SIGKILL'));

      test('warns at its start of what it leaves open, and of a misspelt setting', () => {
        expect(service.output()).toContain(
          'everyone can read and change everything, and so can any web page that a user of this machine opens (CORS_ORIGINS)',
        );
        expect(service.output()).toContain('DATA_DIRS is not a setting; did you mean DATA_DIR?');
      });

      test('has all pages and descriptions, as it is built', async () => {
        const { base } = service;
        const paths = [
          '/',
          '/reference',
          '/lifecycle',
          '/lifecycle.ics',
          '/openapi.json',
          '/openapi.yaml',
          '/asyncapi.json',
        ];
        for (const path of [...paths, '/schema.graphql', '/graphql', '/metrics']) {
          const { status } = await fetch(base + path, { headers: { accept: 'text/html, */*' } });
          expect([path, status]).toEqual([path, 200]);
        }
      });

      test('malformed HTTP is answered with the Error object and a request id', async () => {
        const { base } = service;
        const { hostname, port } = new URL(base);
        for (const [request, words] of [
          ['nonsense\r\n\r\n', 'capital letters'],
          ['GET /pets HTTP/9.9\r\nHost: x\r\n\r\n', 'cannot be read'],
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

      test('a request that is cut off changes nothing, and other requests still succeed', async () => {
        const { hostname, port } = new URL(service.base);
        const { id } = await (await post(service.base, '/categories', { name: 'Any' })).json();
        const everything = async () => {
          const query =
            '{ pets { totalCount } categories { nodes { name version } } orders { totalCount } inventory { totalCount } }';
          return (await post(service.base, '/graphql', { query })).json();
        };
        const before = await everything();
        for (const [method, path] of [
          ['POST', '/pets'],
          ['PUT', '/pets/1'],
          ['PATCH', '/pets/1'],
          ['POST', '/categories'],
          ['PUT', `/categories/${id}`],
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

      // The last one: nothing is left to answer.
      test('a second SIGTERM ends it at once, whatever is in progress', async () => {
        const { hostname, port } = new URL(service.base);
        const used = connect(Number(port), hostname).on('error', () => {});
        used.write('POST /categories HTTP/1.1\r\nHost: pets.example\r\nContent-Length: 100\r\n\r\n{');
        await fetch(`${service.base}/livez`);
        const exited = once(service.process, 'exit');
        service.process.kill('SIGTERM');
        await expect.poll(() => service.output()).toContain('stopping');
        service.process.kill('SIGTERM');
        expect(await exited).toEqual([null, 'SIGTERM']);
      });
    });

    test('SIGTERM closes idle connections, and waits only for those in use', async () => {
      await withService(environment, async (service) => {
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

    if (existsSync('/dev/full')) {
      test('serves, and stops at SIGTERM, while the disk of its log is full', async () => {
        const [port, full] = [await freePort(), openSync('/dev/full', 'w')];
        const child = spawn(process.execPath, ['dist/main.js'], {
          env: { ...environment, LOG_LEVEL: 'debug', PORT: `${port}` },
          stdio: ['ignore', full, 'inherit'],
        });
        closeSync(full);
        const statusOf = async (path: string) =>
          (await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5_000) })).status;
        try {
          await expect.poll(() => statusOf('/readyz').catch(() => 0), { timeout: 20_000 }).toBe(200);
          expect(await statusOf('/pets')).toBe(200);
          expect(await statusOf('/livez')).toBe(200);
          const exited = once(child, 'exit');
          child.kill('SIGTERM');
          expect(await exited).toEqual([0, null]);
        } finally {
          child.kill('SIGKILL');
        }
      });
    }
  }
});
