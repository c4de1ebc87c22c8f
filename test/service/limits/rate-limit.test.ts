import { describe, expect, test } from 'vitest';
import { keyStore } from '../../../src/engine/auth/keys.ts';
import type { TestApp } from '../../support/app.ts';
import { disposeApps, limited, MOMENT, start, unitsLeft } from './apps.ts';

disposeApps();

describe('RATE_LIMIT', () => {
  test('states in each response how many units are left, and until when', async () => {
    const app = await limited(100);
    const first = await app.rest('GET', '/pets/1');
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=100;w=60');
    expect(first.headers.get('ratelimit')).toBe(`"default";r=99;t=${60 - ((MOMENT / 1000) % 60)}`);
    expect(unitsLeft(await app.rest('GET', '/categories/1'))).toBe(98);
    expect(unitsLeft(await app.rest('GET', '/pets/x'))).toBe(97);
    expect(unitsLeft(await app.rest('POST', '/pets', { body: '{' }))).toBe(96);
    expect(
      unitsLeft(await app.fetch(new Request('http://pets.example/graphql?query={__typename}', { method: 'HEAD' }))),
    ).toBe(95);
  });

  test('is 429 with Retry-After when no units are left, until the window ends', async () => {
    const now = { milliseconds: MOMENT };
    const app = await limited(3, now);
    for (let n = 0; n < 3; n++) expect((await app.rest('GET', '/pets/1')).status).toBe(404);
    const { status, body, headers } = await app.rest('GET', '/pets/1');
    const wait = Number(headers.get('retry-after'));
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(body.message).toBe(`You have used all 3 units for these 60 s; try again in ${wait} s.`);
    const { errors } = await app.graphql('{ __typename }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    now.milliseconds += wait * 1000;
    expect((await app.rest('GET', '/pets/1')).status).toBe(404);
  });

  test('is off by default: a response has no fields for it', async () => {
    const { headers } = await (await start({})).rest('GET', '/pets/1');
    expect([headers.has('ratelimit'), headers.has('ratelimit-policy')]).toEqual([false, false]);
  });

  test('ignores a rehearsed clock, which may start at any time', async () => {
    const rehearsed = { at: MOMENT };
    const app = await limited(100, undefined, { clock: () => new Date(rehearsed.at) });
    expect(unitsLeft(await app.rest('GET', '/pets/1'))).toBe(99);
    rehearsed.at += 86_400_000;
    expect(unitsLeft(await app.rest('GET', '/pets/1'))).toBe(98);
  });

  test('rejects at once a request that costs more than the whole limit', async () => {
    const app = await limited(5);
    const { status, body, headers } = await app.rest('GET', '/pets?limit=100');
    expect([status, body.message]).toEqual([
      429,
      expect.stringMatching(/^The request costs 6 units, and 5 is the maximum/),
    ]);
    expect(headers.get('retry-after')).toBeNull();
  });

  test('rejects at once a request whose parts cost more than the whole limit together', async () => {
    const ids = Array.from({ length: 800 }, (_, n) => 1e13 + n);
    const send = (app: TestApp) => app.graphql('query ($ids: [Int64!]) { pets(id: $ids) { nodes { id } } }', { ids });
    const whole = 1_000 - unitsLeft(await send(await limited(1_000)));
    const { status, headers, errors } = await send(await limited(whole - 1));
    expect([status, errors?.[0]?.message]).toEqual([
      429,
      `The request costs ${whole} units, and ${whole - 1} is the maximum in 60 s; request less at once.`,
    ]);
    expect(headers.get('retry-after')).toBeNull();
  });

  test('says when to try again to a request that costs the whole limit', async () => {
    for (const [units, path] of [
      [1, '/pets/1'],
      [6, '/pets?limit=100'],
    ] as const) {
      const app = await limited(units);
      await app.rest('GET', '/pets/1');
      const { status, body, headers } = await app.rest('GET', path);
      expect([status, body.message]).toEqual([429, expect.stringMatching(/; try again in \d+ s\.$/)]);
      expect(headers.has('retry-after')).toBe(true);
    }
  });

  test('is also 429 in the status of GraphQL, whether the request or its operation exceeds the units', async () => {
    const app = await limited(20);
    const rows = (first: number) => app.graphql(`{ pets(first: ${first}) { nodes { id } } }`);
    const rejections = [];
    // Each costs six units, and a rejected one costs one: the last are rejected before they are read.
    for (let n = 0; n < 8; n++) rejections.push(await rows(100));
    for (const { status, headers, errors } of rejections.slice(3)) {
      expect([status, errors?.[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test.each(['/livez', '/readyz', '/', '/reference', '/openapi.json', '/schema.graphql'])(
    'costs nothing for %s',
    async (path) => {
      const app = await limited(1);
      for (let n = 0; n < 3; n++) {
        const response = await app.fetch(new Request(`http://pets.example${path}`));
        expect([response.status, response.headers.get('ratelimit')]).toEqual([200, null]);
      }
    },
  );

  test('rejects a caller without units left before its body arrives, on both protocols', async () => {
    const app = await limited(1);
    expect((await app.rest('GET', '/pets/1')).status).toBe(404);
    for (const path of ['/pets', '/graphql']) {
      const headers = { 'content-type': 'application/json' };
      const request = new Request(`http://pets.example${path}`, { method: 'POST', headers, body: '{}' });
      expect([(await app.fetch(request)).status, request.bodyUsed]).toEqual([429, false]);
    }
  });

  test('takes one statement for concurrent requests to /readyz', async () => {
    const app = await limited(1);
    const ask = async () => (await app.fetch(new Request('http://pets.example/readyz'))).status;
    expect(await Promise.all(Array.from({ length: 50 }, ask))).toEqual(Array(50).fill(200));
    expect(await ask()).toBe(200);
    expect(app.statements).toEqual(['health.ping', 'health.ping']);
  });

  test.each([
    ['/metrics', 500, 200],
    ['/nothing', 5_000, 404],
  ])('makes no request for %s wait longer than REQUEST_TIMEOUT: 504', async (path, times, usual) => {
    const app = await start({ REQUEST_TIMEOUT: 100 });
    const ask = async () => (await app.fetch(new Request(`http://pets.example${path}`))).status;
    const statuses = await Promise.all(Array.from({ length: times }, ask));
    expect([...new Set(statuses)].sort()).toEqual([usual, 504]);
    // The pause after so many responses can itself be longer than REQUEST_TIMEOUT on a busy machine.
    await expect.poll(ask, { timeout: 10_000 }).toBe(usual);
  });

  test.each(['/lifecycle', '/metrics'])('lets others come between the pages %s of a caller', async (path) => {
    const app = await start({});
    let [turn, isDone] = [0, false];
    const next = () => {
      turn++;
      if (!isDone) setImmediate(next);
    };
    next();
    const answered = Array.from({ length: 10 }, async () => {
      const { status } = await app.fetch(
        new Request(`http://pets.example${path}`, { headers: { accept: 'text/html' } }),
      );
      return [status, turn] as const;
    });
    const answers = await Promise.all(answered);
    isDone = true;
    expect(answers.map(([status]) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(([, answeredIn]) => answeredIn)).size).toBe(10);
  });

  test('counts each caller separately, and bad credentials by the address', async () => {
    const app = await start({ AUTH: 'all', RATE_LIMIT: { units: 2, seconds: 60 } }, {}, undefined, () => MOMENT);
    const [ann, bob] = await Promise.all(
      ['Ann', 'Bob'].map(async (name) => (await keyStore(app.database).create(name, ['read'], null)).text),
    );
    const get = async (key: string | undefined) =>
      (await app.rest('GET', '/pets/1', { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await get(ann), await get(ann), await get(ann), await get(bob)]).toEqual([404, 404, 429, 404]);
    expect([await get('psk_x'), await get('psk_x'), await get('psk_x')]).toEqual([401, 401, 429]);
    expect(await get(bob)).toBe(404);
  });

  test('trusts as many proxies as PROXIES says, and no more', async () => {
    const app = await start({ PROXIES: 1, RATE_LIMIT: { units: 1, seconds: 60 } }, {}, undefined, () => MOMENT);
    const get = async (forwarded: string) =>
      (await app.rest('GET', '/pets/1', { headers: { 'x-forwarded-for': forwarded } })).status;
    expect(await get('10.0.0.1')).toBe(404);
    expect(await get('10.0.0.2')).toBe(404);
    expect(await get('1.2.3.4, 10.0.0.1')).toBe(429);
    expect(await get('2001:db8:1:2::1')).toBe(404);
    expect(await get('2001:db8:1:2:ffff::2')).toBe(429);
    expect(await get('2001:0DB8:1:2:0:0:0:9')).toBe(429);
    expect(await get('2001:db8:1:3::1')).toBe(404);
    expect(await get('2001:db8::4:5:6:7:8')).toBe(404);
    expect(await get('2001:db8:0:4::9')).toBe(429);
    expect(await get('::ffff:10.0.0.1')).toBe(429);
    expect(await get('10.0.0.1:50001')).toBe(429);
    expect(await get('[2001:db8:1:2::7]:50001')).toBe(429);
    expect(await get('[2001:db8:1:2::8]')).toBe(429);
    expect(await get('fe80::1%eth0')).toBe(404);
    expect(await get('fe80::2%eth0')).toBe(429);
    expect(await get('fe80::3%a:b:c:d:e:f:g:h:i')).toBe(429);
    expect(await get(`${'x'.repeat(45)}1`)).toBe(404);
    expect(await get(`${'x'.repeat(45)}2`)).toBe(429);
  });

  test.each([
    ['unknown paths', '/nowhere', 404],
    ['API descriptions', '/openapi.yaml', 200],
    ['the calendar', '/lifecycle.ics', 200],
    ['the playground', '/graphql', 200],
  ])('requests for %s, which cost nothing, hold up no other caller', async (_, path, status) => {
    const app = await start({ PROXIES: 1 });
    const get = (caller: string) =>
      app.fetch(
        new Request(`http://pets.example${path}`, {
          headers: { 'x-forwarded-for': caller, accept: 'text/html, */*;q=0.1' },
        }),
      );
    // The first response of some is made once for all.
    await get('10.0.0.3');
    let answered = 0;
    const flood = Array.from({ length: 300 }, () => get('10.0.0.1').then(() => answered++));
    expect((await get('10.0.0.2')).status).toBe(status);
    expect(answered).toBeLessThan(50);
    await Promise.all(flood);
  });
});
