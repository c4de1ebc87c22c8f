import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { keyStore } from '../../../src/engine/auth/keys.ts';
import { unavailable } from '../../../src/engine/db/violations.ts';
import { COMPILED_AT } from '../../../src/engine/operation/documents.ts';
import type { Settings } from '../../../src/process/settings.ts';
import { watched } from '../../support/watched.ts';
import { disposeApps, start } from './apps.ts';

disposeApps();

test('a failure of the database is 500 on both protocols, and the response does not reveal its cause', async () => {
  const app = await start({}, {}, (database) =>
    watched(database, async ({ text }, run) => {
      if (text.includes('from "pets"')) throw new Error(`secret-host rejected: ${text}`);
      return run();
    }),
  );
  const rest = await app.rest('GET', '/pets');
  const graphql = await app.graphql('{ pets { nodes { id } } }');
  const message = 'The service failed. Its log has the cause, under the request id.';
  expect(rest.body).toEqual({ code: 'INTERNAL', message, status: 500 });
  expect(graphql.errors?.map((error) => [error.message, error.extensions])).toEqual([
    [message, { code: 'INTERNAL', status: 500 }],
  ]);
  expect(graphql.data).toBeNull();
});

test('a stored value that no response can have is 500 on both protocols, even when the operation is compiled', async () => {
  const app = await start({}, {}, (database) =>
    watched(database, async ({ text }, run) => {
      const rows = await run();
      // The rows of a list come as one text, in which a null is empty.
      return text.includes('from "categories"') ? rows.map((row) => row.map(withoutName)) : rows;
    }),
  );
  const withoutName = (value: unknown) => (typeof value === 'string' ? value.replace(',Cats,', ',,') : value);
  await app.rest('POST', '/categories', { body: { name: 'Cats' } });
  expect((await app.rest('GET', '/categories')).body.code).toBe('INTERNAL');
  for (let run = 0; run <= COMPILED_AT; run++) {
    const { errors } = await app.graphql('{ categories { nodes { name } } }');
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'INTERNAL', status: 500 }]);
  }
});

test('a failure that may pass has Retry-After on both protocols, also beside data', async () => {
  const app = await start({}, {}, (database) =>
    watched(database, async ({ text }, run) => {
      if (text.includes('from "pets"') || text.includes('update "pets"')) throw unavailable(new Error('It is away.'));
      return run();
    }),
  );
  expect((await app.rest('GET', '/pets')).headers.get('retry-after')).toBe('1');
  for (const query of [
    '{ pets { nodes { id } } }',
    '{ categories { nodes { id } } pet(petId: 1) { id } }',
    'mutation { updatePet(petId: 1, changes: { name: "Max" }) { id } }',
  ]) {
    const body = JSON.stringify({ query });
    const headers = { 'content-type': 'application/json' };
    const answer = await app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
    const { errors } = await answer.json();
    expect([errors[0].extensions, answer.status, answer.headers.get('retry-after')]).toEqual([
      { code: 'UNAVAILABLE', status: 503 },
      200,
      '1',
    ]);
  }
});

describe('a database that hangs', () => {
  async function startHanging(settings: Partial<Settings>, at = 'from "pets"') {
    const hanging: (() => void)[] = [];
    let hangs = true;
    const app = await start(settings, {}, (database) =>
      watched(database, async ({ text }, run) => {
        if (hangs && text.includes(at)) await new Promise<void>((resolve) => hanging.push(resolve));
        return run();
      }),
    );
    const release = () => {
      hangs = false;
      for (const go of hanging.splice(0)) go();
    };
    return { app, release };
  }

  test('makes at most MAX_REQUESTS wait; others are 503 at once, and all succeed when it is back', async () => {
    const { app, release } = await startHanging({ MAX_REQUESTS: 5 });
    const waiting = Array.from({ length: 5 }, () => app.rest('GET', '/pets'));
    await expect.poll(async () => (await app.rest('GET', '/categories')).status).toBe(503);
    const { body, headers } = await app.rest('GET', '/categories');
    expect([body.code, headers.get('retry-after')]).toEqual(['UNAVAILABLE', '1']);
    expect((await app.graphql('{ categories { totalCount } }')).errors?.[0]?.extensions.status).toBe(503);
    expect((await app.fetch(new Request('http://pets.example/livez'))).status).toBe(200);
    release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect((await app.rest('GET', '/categories')).status).toBe(200);
  });

  test('makes at most MAX_REQUESTS wait for authentication, and none longer than REQUEST_TIMEOUT', async () => {
    const lookedUp: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = await start({ AUTH: 'all', MAX_REQUESTS: 5, REQUEST_TIMEOUT: 400 }, {}, (database) =>
      watched(database, async ({ text, parameters }, run) => {
        if (text.includes('from "api_keys"')) {
          lookedUp.push(...String(parameters[0]).slice(1, -1).split(','));
          await held;
        }
        return run();
      }),
    );
    const ask = async (path: string, n: number) => {
      const authorization = `Bearer psk_${String(n).padStart(12, '0')}_${'A'.repeat(43)}`;
      return (await app.rest('GET', path, { headers: { authorization } })).body.code;
    };
    const asked = Array.from({ length: 20 }, (_, n) => ask(n % 2 === 0 ? '/pets' : '/lifecycle', n));
    const answers = await Promise.all(asked);
    expect(answers.sort()).toEqual([...Array(5).fill('TIMEOUT'), ...Array(15).fill('UNAVAILABLE')]);
    release();
    await expect.poll(() => ask('/pets', 0)).toBe('UNAUTHENTICATED');
    expect(new Set(lookedUp).size).toBe(5);
  });

  test('does not keep a caller with a key waiting for those without one at its address', async () => {
    const { app, release } = await startHanging({ AUTH: 'required' });
    const { text: key } = await keyStore(app.database).create('a test', ['read'], null);
    const unanswered = Array.from({ length: 100 }, () => app.rest('GET', '/pets?limit=100'));
    await sleep(100);
    // The others are not answered before that.
    const answer = await app.rest('GET', '/categories', { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    release();
    await Promise.all(unanswered);
  });

  test('starts no further change of a request that was answered with 504', async () => {
    let updates = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = await start({ REQUEST_TIMEOUT: 2_000 }, {}, (database) =>
      watched(database, async ({ text }, run) => {
        if (text.startsWith('update "categories"') && ++updates === 2) await held;
        return run();
      }),
    );
    const { body: category } = await app.rest('POST', '/categories', { body: { name: 'Before' } });
    const replace = (name: string) =>
      `replaceCategory(categoryId: ${category.id}, category: { name: "${name}" }) { id }`;
    const { errors } = await app.graphql(
      `mutation { a: ${replace('First')} b: ${replace('Second')} c: createCategory(category: { name: "Third" }) { id } }`,
    );
    expect(errors?.[0]?.extensions.code).toBe('TIMEOUT');
    const names = async () => (await app.rest('GET', '/categories')).body.map(({ name }: { name: string }) => name);
    // A change that had started by then is finished.
    release();
    await expect.poll(names).toEqual(['Second']);
    await sleep(200);
    expect(await names()).toEqual(['Second']);
  });

  test('makes no request wait longer than REQUEST_TIMEOUT for authentication and response together', async () => {
    let began = Number.NaN;
    const app = await start({ AUTH: 'all', REQUEST_TIMEOUT: 3_000 }, {}, (database) =>
      watched(database, async ({ text }, run) => {
        if (text.includes('from "api_keys"')) await sleep(2_000);
        if (text.includes('from "pets"')) {
          began = performance.now();
          await sleep(10_000, undefined, { ref: false });
        }
        return run();
      }),
    );
    const { text } = await keyStore(app.database).create('a reader', ['read'], null);
    const headers = { authorization: `Bearer ${text}` };
    const { body } = await app.rest('GET', '/pets', { headers });
    expect([body.code, performance.now() - began < 2_900]).toEqual(['TIMEOUT', true]);
  });

  test('makes no request wait longer than REQUEST_TIMEOUT: 504', async () => {
    const { app, release } = await startHanging({ REQUEST_TIMEOUT: 300 });
    const answers = await Promise.all([
      app.rest('GET', '/pets'),
      app.rest('GET', '/pets/1'),
      app.rest('PATCH', '/pets/1', { body: { name: 'Max' }, headers: { 'idempotency-key': 'late' } }),
    ]);
    // On a slow machine, the time limit of the statement may come first.
    const message = expect.stringMatching(
      /^(The request took longer than 0.3 s|The database took too long); try again.$/,
    );
    const error = { code: 'TIMEOUT', message, status: 504 };
    for (const { body, headers } of answers) expect([body, headers.get('retry-after')]).toEqual([error, '1']);
    const { errors } = await app.graphql('{ pets { nodes { id } } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'TIMEOUT', status: 504 });
    release();
    await expect.poll(async () => (await app.rest('GET', '/pets')).status).toBe(200);
  });

  test.each([
    ['/categories', { name: 'Cats' }, 201],
    ['/graphql', { query: 'mutation { createCategory(category: { name: "Owls" }) { name } }' }, 200],
  ])('makes no request with an Idempotency-Key wait longer: %s', async (path, body, status) => {
    const { app, release } = await startHanging({ REQUEST_TIMEOUT: 300 }, 'insert into "idempotency_keys"');
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'late' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const send = () => app.fetch(new Request(`http://pets.example${path}`, request));
    const late = await send();
    expect([late.status, late.headers.get('retry-after')]).toEqual([504, '1']);
    release();
    await expect.poll(async () => (await send()).status).toBe(status);
  });
});
