import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/process/settings.ts';
import { databaseKind } from '../support/database.ts';
import { runToEnd } from '../support/service.ts';
import { environment, makeDatabase } from './processes.ts';
import { MANY } from './workers.ts';

makeDatabase();

const start = (more: Readonly<Record<string, string>>) => runToEnd('main', [], { ...environment, PORT: '0', ...more });

test.each(['0', '-1', '1.5', '129', 'many', '2 3'])(
  'WORKERS=%s is rejected: it is no number of processes',
  (WORKERS) => {
    expect(() => readSettings({ DATABASE_URL: 'postgres://localhost/pets', WORKERS })).toThrow(
      /^WORKERS must be a whole number from 1 to 128$/,
    );
  },
);

if (databaseKind === 'embedded') {
  describe('the embedded database', () => {
    test('belongs to one process: more are rejected with a line that says what to do', async () => {
      expect(await start({ WORKERS: '2' })).toMatchObject({
        code: 1,
        errors:
          'The settings cannot be used:\n' +
          'WORKERS must be 1 for the embedded database, which belongs to one process; set DATABASE_URL for more\n',
      });
    });
  });
} else {
  test('SIGHUP during the start replaces the processes afterwards', async () => {
    // The first line of the log warns about a misspelt setting; soon after it, the database is being opened.
    const env = { ...environment, PORT: '0', WORKERS: '2', DATA_DIRS: 'x' };
    const service = spawn(process.execPath, ['dist/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    service.stdout.once('data', () => setTimeout(() => service.kill('SIGHUP'), 100));
    service.stdout.on('data', (chunk) => {
      output += chunk;
    });
    try {
      await expect.poll(() => output, { timeout: 20_000 }).toContain('workers replaced');
    } finally {
      service.kill();
    }
    expect(await once(service, 'exit')).toEqual([0, null]);
  });

  test('SIGTERM during the start ends all processes without a word', async () => {
    const atFork = `import cluster from 'node:cluster';
      cluster.once('fork', () => process.kill(process.pid, 'SIGTERM'));`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(atFork)}`;
    expect(await start({ WORKERS: `${MANY}`, NODE_OPTIONS })).toEqual({ code: 0, output: '', errors: '' });
  });

  describe('a start that fails', () => {
    test('prints one clear line for all processes, and exits with 1', async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as { port: number };
      const { code, errors } = await start({ WORKERS: `${MANY}`, PORT: `${port}` });
      holder.close();
      expect(errors).toBe(`Port ${port} on 127.0.0.1 is taken; stop what uses it, or set PORT to another.\n`);
      expect(code).toBe(1);
    });
  });
}
