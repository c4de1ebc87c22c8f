import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { withServiceHere } from '../support/serve-here.ts';
import { environment, makeDatabase, post } from './processes.ts';

makeDatabase();

describe('the log', () => {
  test('has no warning with AUTH=required', async () => {
    await withServiceHere({ ...environment, AUTH: 'required' }, async ({ output }) =>
      expect(output()).not.toContain('"level":40'),
    );
  });

  test('has a line for each request that is rejected for overload, without a stack, which would say nothing', async () => {
    await withServiceHere({ ...environment, MAX_REQUESTS: '1' }, async (service) => {
      const all = Array.from({ length: 30 }, async () => (await fetch(`${service.base}/pets`)).status);
      const rejected = (await Promise.all(all)).filter((status) => status === 503);
      expect(rejected.length).toBeGreaterThan(0);
      const warnings = () => service.output().match(/.*"level":40.*"code":.*/g) ?? [];
      await expect.poll(() => warnings().length).toBe(rejected.length);
      expect(JSON.parse(warnings()[0] ?? '')).toMatchObject({ code: 'UNAVAILABLE', path: '/pets', status: 503 });
      expect(warnings().join()).not.toContain('stack');
    });
  });

  test('has a line for each request with its id at LOG_LEVEL=debug, and no line has a body or a secret', async () => {
    await withServiceHere({ ...environment, LOG_LEVEL: 'debug' }, async (service) => {
      const [id, began] = [randomUUID(), performance.now()];
      const secret = `Nobody${randomUUID()}`;
      await fetch(`${service.base}/categories?name=${secret}`, {
        headers: { 'x-request-id': id, authorization: secret },
      });
      const elapsed = performance.now() - began;
      await post(service.base, '/categories', { name: secret });
      await expect.poll(() => service.output()).toContain(id);
      const line =
        service
          .output()
          .split('\n')
          .find((candidate) => candidate.includes(id)) ?? '';
      const { milliseconds, ...logged } = JSON.parse(line);
      expect(logged).toMatchObject({
        requestId: id,
        method: 'GET',
        path: '/categories',
        protocol: 'rest',
        operation: 'listCategories',
        status: 200,
      });
      expect(milliseconds).toBeGreaterThan(0);
      expect(milliseconds).toBeLessThan(elapsed);
      expect(service.output()).not.toContain(secret);
      const password = new URL(environment.DATABASE_URL ?? 'postgres://none:unused-password@host').password;
      if (password !== '') expect(service.output()).not.toContain(password);
    });
  });
});
