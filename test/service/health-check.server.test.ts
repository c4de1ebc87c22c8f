import { expect, test } from 'vitest';
import { runToEnd } from '../support/service.ts';
import { makeDatabase, withService } from './processes.ts';

makeDatabase();

test('the health check of a container exits with 0 when the service is ready, otherwise with 1', async () => {
  const check = (settings: Readonly<Record<string, string>>) => runToEnd('commands/healthy', [], settings);
  await withService({ BASE_PATH: '/api' }, async ({ base }) => {
    const { port: PORT } = new URL(base);
    for (const HOST of ['', '127.0.0.1', '0.0.0.0', '::']) {
      expect(await check({ HOST, PORT, BASE_PATH: '/api' })).toEqual({ code: 0, output: '', errors: '' });
    }
    const { code, errors } = await check({ PORT });
    expect([code, errors]).toEqual([1, `http://127.0.0.1:${PORT}/readyz: the status is 404.\n`]);
  });
  for (const [HOST, address] of [
    ['', '127.0.0.1'],
    ['::1', '[::1]'],
  ] as const) {
    const { code, errors } = await check({ HOST, PORT: '1023' });
    expect([code, errors.startsWith(`http://${address}:1023/readyz: connect `)]).toEqual([1, true]);
  }
});
