import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { operatorMessage } from '../../src/process/operator-message.ts';
import { addressOf, administer } from '../support/admin.ts';
import { CERTIFICATE } from '../support/certificate.ts';
import { serveHere } from '../support/serve-here.ts';
import { runToEnd } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import { environment, makeDatabase } from './processes.ts';

makeDatabase();

/** The line that a start with these settings prints when it fails. */
const failureOf = (more: Record<string, string>) =>
  serveHere({ ...environment, ...more }).then(({ stop }) => stop({ isReplaced: false }), operatorMessage);

describe('a start that fails says why in one clear line', () => {
  const startToEnd = (more: Record<string, string>) => runToEnd('main', [], { ...environment, ...more });

  test('a port in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => holder.once('listening', resolve));
    const { port } = holder.address() as { port: number };
    const { code, errors } = await startToEnd({ PORT: String(port) });
    holder.close();
    expect(code).toBe(1);
    expect(errors).toBe(`Port ${port} on 127.0.0.1 is taken; stop what uses it, or set PORT to another.\n`);
  });

  test('an argument, which would otherwise have no effect', async () => {
    const { code, errors } = await runToEnd('main', ['--port', '4001'], environment);
    expect(code).toBe(1);
    expect(errors).toBe(
      'The service takes no arguments, and was given --port. Settings are environment variables, as in PORT=4001; docs/operating.md lists them.\n',
    );
  });

  test.each([
    ['127.0.0.1', '127.0.0.1:9'],
    ['[::1]', '::1:9'],
  ])('an unreachable database at %s, without its password', async (host, tried) => {
    const failure = await failureOf({ DATABASE_URL: `postgres://someone:secret@${host}:9/pets` });
    // A system without IPv6 gives another reason.
    expect(failure?.replace(/E[A-Z]+/, 'E')).toBe(`The database at ${host}:9/pets cannot be used: connect E ${tried}.`);
  });

  test('a database without TLS, when sslmode requires it', async () => {
    const plain = createServer((socket) => socket.once('data', () => socket.end('N'))).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as { port: number };
    const failure = await failureOf({ DATABASE_URL: `postgres://127.0.0.1:${port}/pets?sslmode=require` });
    plain.close();
    expect(failure).toBe(
      `The database at 127.0.0.1:${port}/pets cannot be used: it does not offer TLS, or closed the connection.`,
    );
  });

  describe('a database whose certificate cannot be verified, when sslmode wants that', () => {
    const start = async (more: Readonly<Record<string, string>>) => {
      const secure = createServer((socket) =>
        socket.once('data', () => {
          socket.write('S');
          new TLSSocket(socket, { isServer: true, ...CERTIFICATE }).on('error', () => {});
        }),
      ).listen(0, '127.0.0.1');
      await once(secure, 'listening');
      onTestFinished(() => void secure.close());
      const { port } = secure.address() as { port: number };
      const DATABASE_URL = `postgres://127.0.0.1:${port}/pets?sslmode=verify-full`;
      return startToEnd({ DATABASE_URL, REQUEST_TIMEOUT: '2', ...more });
    };

    test('because it does not name the address', async () => {
      const temporary = makeTemporaryFolder();
      onTestFinished(() => temporary.remove());
      const authority = join(temporary.path, 'authority.crt');
      writeFileSync(authority, CERTIFICATE.cert);
      const { code, errors } = await start({ NODE_EXTRA_CA_CERTS: authority });
      expect(code).toBe(1);
      expect(errors).toMatch(/cannot be used: .* IP: 127\.0\.0\.1 is not in the cert's list/);
    });

    test('because its authority is unknown', async () => {
      const { code, errors } = await start({});
      expect(code).toBe(1);
      expect(errors).toMatch(/cannot be used: .*certificate.*; NODE_EXTRA_CA_CERTS can name the file of its authority/);
    });
  });

  test('a database that accepts a connection and does not answer, soon', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const url = `postgres://127.0.0.1:${port}/pets`;
    const { code, errors } = await startToEnd({ DATABASE_URL: url, REQUEST_TIMEOUT: '2' });
    expect([code, errors]).toEqual([1, `The database at 127.0.0.1:${port}/pets cannot be used: it does not answer.\n`]);
    silent.close();
  });

  test('a pooler that drops the settings of sessions', async () => {
    const server = new URL(environment.DATABASE_URL ?? '');
    const { hostname, port } = server;
    const pooler = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      client.once('data', (startup) => {
        const named = startup.toString('latin1', 8).split('\0');
        const kept = ['user', 'database'].flatMap((name) => [name, named[named.indexOf(name) + 1]]);
        const message = Buffer.concat([startup.subarray(0, 8), Buffer.from(`${kept.join('\0')}\0\0`, 'latin1')]);
        message.writeInt32BE(message.length);
        upstream.write(message);
        client.pipe(upstream).pipe(client);
      });
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
    }).listen(0, '127.0.0.1');
    await once(pooler, 'listening');
    server.port = `${(pooler.address() as { port: number }).port}`;
    const failure = await failureOf({ DATABASE_URL: server.href });
    pooler.close();
    expect(failure).toBe(
      `The database at ${server.host}${server.pathname} cannot be used: a pooler in between drops the settings of sessions, such as statement_timeout; connect to the server itself.`,
    );
  });

  test('a pooler that rejects the settings of sessions', async () => {
    const rejection = 'SFATAL\0C08P01\0Munsupported startup parameter: search_path\0\0';
    const length = Buffer.alloc(4);
    length.writeInt32BE(4 + rejection.length);
    const pooler = createServer((socket) => socket.once('data', () => socket.end(`E${length}${rejection}`)));
    await once(pooler.listen(0, '127.0.0.1'), 'listening');
    const { port } = pooler.address() as { port: number };
    const failure = await failureOf({ DATABASE_URL: `postgres://127.0.0.1:${port}/pets` });
    pooler.close();
    expect(failure).toMatch(/ cannot be used: a pooler in between drops the settings of sessions/);
  });

  const databaseWith = async (options: string) => {
    const server = environment.DATABASE_URL ?? '';
    const name = `start_${randomUUID()}`;
    await administer(server, `create database "${name}" ${options}`);
    onTestFinished(() => administer(server, `drop database "${name}"`));
    return addressOf(server, name);
  };

  test('a database with an encoding that cannot hold every text', async () => {
    const url = await databaseWith("template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'");
    const { host, pathname } = new URL(url);
    expect(await failureOf({ DATABASE_URL: url })).toBe(
      `The database at ${host}${pathname} cannot be used: its encoding is SQL_ASCII; UTF8 is needed.`,
    );
  });

  test('a database in which another application has a table of the same name', async () => {
    const url = await databaseWith('template template0');
    await administer(url, 'create table pets (id integer)');
    expect(await failureOf({ DATABASE_URL: url })).toBe(
      'The database was not migrated: relation "pets" already exists; it may be the database of another application.',
    );
  });

  test('a role that lacks a right, and where to read which it needs', async () => {
    const role = `start_${randomUUID()}`;
    await administer(environment.DATABASE_URL ?? '', `create role "${role}" login`);
    onTestFinished(() => administer(environment.DATABASE_URL ?? '', `drop role "${role}"`));
    const url = new URL(environment.DATABASE_URL ?? '');
    url.username = role;
    expect(await failureOf({ DATABASE_URL: url.href, MIGRATE: 'off' })).toBe(
      "The database's role lacks a right (permission denied for schema drizzle); docs/deploying.md says which rights it needs.",
    );
    expect(await failureOf({ DATABASE_URL: url.href })).toBe(
      `The database's role lacks a right (The database was not migrated: permission denied for database ${url.pathname.slice(1)}); docs/deploying.md says which rights it needs.`,
    );
  });

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

test('SIGTERM ends a start, also of the first process of a container, which gets no signal that it does not handle', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const connected = once(silent, 'connection');
  const DATABASE_URL = `postgres://127.0.0.1:${port}/pets`;
  const start = spawn(process.execPath, ['dist/main.js'], { env: { DATABASE_URL }, stdio: 'ignore' });
  const exited = once(start, 'exit');
  await connected;
  start.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  silent.close();
});

describe('a server database', () => {
  test('that is read-only stops the start, which says so', async () => {
    const DATABASE_URL = `${environment.DATABASE_URL}?default_transaction_read_only=on`;
    expect(await failureOf({ DATABASE_URL })).toMatch(/ \(cannot execute .* in a read-only transaction\)$/);
  });
});
