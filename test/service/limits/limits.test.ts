import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { OPEN_ACCESS } from '../../../src/engine/auth/access.ts';
import { keyStore } from '../../../src/engine/auth/keys.ts';
import type { Database } from '../../../src/engine/db/client.ts';
import type { LifecycleRules } from '../../../src/engine/lifecycle/guard.ts';
import { createApp } from '../../../src/engine/service.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { createMetrics } from '../../../src/process/metrics.ts';
import type { Settings } from '../../../src/process/settings.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { databaseKind } from '../../support/database.ts';
import { defaultRules, defaultSettings } from '../../support/rules.ts';
import { watched } from '../../support/watched.ts';

const MOMENT = 1_790_000_000_000;
const opened: TestApp[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((app) => app.dispose()));
});

async function start(
  settings: Partial<Settings>,
  rules: Partial<LifecycleRules> = {},
  wrap?: (database: Database) => Database,
  clock?: () => number,
): Promise<TestApp> {
  const app = await startTestApp(settings, rules, wrap, clock);
  opened.push(app);
  return app;
}

/** The units that a caller has left. */
function unitsLeft({ headers }: { headers: Headers }): number {
  return Number(/^"default";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

describe('RATE_LIMIT', () => {
  const limited = (units: number, now = { milliseconds: MOMENT }, rules: Partial<LifecycleRules> = {}) =>
    start({ RATE_LIMIT: { units, seconds: 60 } }, rules, undefined, () => now.milliseconds);

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

  test('ignores a rehearsed clock, which may start at any time', async () => {
    const rehearsed = { at: MOMENT };
    const app = await limited(100, undefined, { clock: () => new Date(rehearsed.at) });
    expect(unitsLeft(await app.rest('GET', '/pets/1'))).toBe(99);
    rehearsed.at += 86_400_000;
    expect(unitsLeft(await app.rest('GET', '/pets/1'))).toBe(98);
  });

  test('counts each 20 requested rows as a unit more, on both protocols', async () => {
    const app = await limited(1_000);
    const cost = async (ask: () => Promise<{ headers: Headers }>) => {
      const before = unitsLeft(await app.rest('GET', '/pets/1'));
      return before - unitsLeft(await ask());
    };
    expect(await cost(() => app.rest('GET', '/pets?limit=5'))).toBe(1);
    expect(await cost(() => app.rest('GET', '/pets'))).toBe(2);
    expect(await cost(() => app.rest('GET', '/pets?limit=100'))).toBe(6);
    expect(await cost(() => app.graphql('{ pets(first: 5) { nodes { id } } }'))).toBe(1);
    expect(await cost(() => app.graphql('{ pets { nodes { id } } }'))).toBe(2);
    expect(await cost(() => app.graphql('query ($n: Int) { pets(first: $n) { nodes { id } } }', { n: 100 }))).toBe(6);
    const named = 'query ($__proto__: Int = 100) { pets(first: $__proto__) { nodes { id } } }';
    expect(await cost(() => app.graphql(named))).toBe(6);
    expect(await cost(() => app.graphql('{ a: pet(petId: 1) { id } b: pet(petId: 2) { id } }'))).toBe(2);
    const nested = '{ pets(first: 10) { nodes { orders(first: 10) { nodes { id } } } } }';
    for (const _ of ['first', 'second', 'third']) expect(await cost(() => app.graphql(nested))).toBe(7);
  });

  test('counts 200 values of rows as a unit more, and each totalCount by the size of its tables', async () => {
    const app = await limited(10_000);
    await app.database.transaction((query) =>
      query("insert into categories (name) select 'Dogs' from generate_series(1, 30000)", []),
    );
    const pages = await app.database.transaction((query) =>
      query("select pg_relation_size('categories')::int / 8192", []),
    );
    await app.begin();
    const cost = async (document: string) => {
      for (let time = 0; time < 2; time++) await app.graphql(document);
      return unitsLeft(await app.rest('GET', '/pets/1')) - 1 - unitsLeft(await app.graphql(document));
    };
    const nodes = (count: number) => `nodes { ${Array.from({ length: count }, (_, n) => `a${n}: id`).join(' ')} }`;
    expect(await cost(`{ pets(first: 100) { ${nodes(9)} } }`)).toBe(5);
    expect(await cost(`{ pets(first: 100) { ${nodes(39)} } }`)).toBe(20);
    expect(await cost('{ pets(first: 1) { totalCount } }')).toBe(1);
    expect(await cost('{ pets(first: 1) { ...F a: totalCount } } fragment F on PetConnection { totalCount }')).toBe(1);
    expect(await cost('{ pets(first: 9) { totalCount nodes { orders(first: 1) { totalCount } } } }')).toBe(3);
    const ofCategories = 1 + Math.floor(Number(pages[0]?.[0]) / 10);
    expect(ofCategories).toBeGreaterThan(5);
    expect(await cost('{ categories(first: 1) { totalCount } }')).toBe(ofCategories);
    expect(await cost('{ categories(first: 1, id: [1]) { totalCount } }')).toBe(ofCategories);
    const maybe = (isCounted: boolean) =>
      `query ($counted: Boolean = ${isCounted}) { pets(first: 1) { nodes { id } totalCount @include(if: $counted) } }`;
    expect([await cost(maybe(true)), await cost(maybe(false))]).toEqual([1, 0]);
  });

  test('counts a list that no index fits as a unit more where its table is small, on both protocols', async () => {
    const app = await limited(10_000);
    const restCost = async (query: string) =>
      unitsLeft(await app.rest('GET', '/pets/1')) - unitsLeft(await app.rest('GET', `/pets?limit=1&${query}`)) - 1;
    const costOf = async (selection: string, variables = {}) => {
      const declared = ['$name: String', '$sort: PetSort = name'].filter((one) => selection.includes(one.slice(0, 5)));
      const head = declared.length === 0 ? '' : `query (${declared.join(', ')}) `;
      const query = `${head}{ pets(first: 1, ${selection}) { nodes { id } } }`;
      for (let time = 0; time < 2; time++) await app.graphql(query, variables);
      const before = unitsLeft(await app.rest('GET', '/pets/1'));
      return before - 1 - unitsLeft(await app.graphql(query, variables));
    };
    for (const [query, selection, units] of [
      ['status=sold', 'status: sold', 0],
      ['status=sold&sort=-id', 'status: sold, sort: id_desc', 0],
      ['status=sold&sort=name', 'status: sold, sort: name', 1],
      ['name=a', 'name: "a"', 1],
      ['name=a&sort=-name', 'name: "a", sort: name_desc', 0],
      ['name=a&status=sold&sort=name', 'name: "a", status: sold, sort: name', 1],
      ['id=1&name=a', 'id: 1, name: "a"', 0],
      ['', 'name: null', 0],
    ] as const) {
      expect([query, await restCost(query)]).toEqual([query, units]);
      expect([selection, await costOf(selection)]).toEqual([selection, units]);
    }
    expect(await costOf('name: $name, sort: $sort', { name: 'a' })).toBe(0);
    expect(await costOf('name: $name, sort: $sort', { name: 'a', sort: 'id' })).toBe(1);
    expect(await costOf('name: $name, status: sold')).toBe(0);
  });

  test('counts 2 lists and references within rows as a unit more', async () => {
    const app = await limited(1_000);
    const cost = async (selection: string) => {
      const document = `{ pets(first: 1) { nodes { ${selection} } } }`;
      for (let time = 0; time < 2; time++) await app.graphql(document);
      return unitsLeft(await app.rest('GET', '/pets/1')) - unitsLeft(await app.graphql(document));
    };
    expect(await cost('category { name }')).toBe(1);
    expect(await cost('category { name } inventory { quantity }')).toBe(2);
    expect(await cost('category { name } inventory { quantity } orders(first: 1) { nodes { id } }')).toBe(2);
    expect(await cost('category { pets(first: 1) { nodes { inventory { pet { category { id } } } } } }')).toBe(3);
  });

  test('counts 8 items of a filter as a unit more, on both protocols', async () => {
    const app = await limited(1_000);
    const ids = Array.from({ length: 400 }, (_, n) => n);
    const before = unitsLeft(await app.rest('GET', '/pets/1'));
    const rest = unitsLeft(await app.rest('GET', `/pets?limit=100&categoryId=${ids.join('&categoryId=')}`));
    const query = 'query ($id: [Int64!]) { pets(first: 100, categoryId: $id) { nodes { id } } }';
    const graphql = unitsLeft(await app.graphql(query, { id: ids }));
    expect([before - rest, rest - graphql]).toEqual([1 + 55, 1 + 55]);
  });

  test('counts each 100 characters of a GraphQL document as a unit more until it is prepared', async () => {
    const app = await limited(1_000);
    const cost = async (document: string) =>
      unitsLeft(await app.rest('GET', '/pets/1')) - 1 - unitsLeft(await app.graphql(document));
    const padding = ' '.repeat(1_000);
    const good = `{ __typename ${padding} }`;
    expect([await cost(good), await cost(good), await cost(good)]).toEqual([10, 10, 0]);
    const faulty = `{ nothing ${padding} }`;
    expect([await cost(faulty), await cost(faulty), await cost(faulty)]).toEqual([10, 10, 10]);
    const { errors, headers } = await app.graphql(`{ __typename ${padding.repeat(99)} }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('names the cost of a request that exceeds the units left', async () => {
    const app = await limited(10);
    for (let n = 0; n < 6; n++) await app.rest('GET', '/pets/1');
    const { status, body } = await app.rest('GET', '/pets?limit=100');
    expect([status, body.message]).toEqual([
      429,
      expect.stringMatching(/^The request costs 5 more units, and you have 3 of 10 left; try again in \d+ s\.$/),
    ]);
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
    expect(await get('2001:db8:1:3::1')).toBe(404);
    expect(await get('::ffff:10.0.0.1')).toBe(429);
    expect(await get('10.0.0.1:50001')).toBe(429);
    expect(await get('[2001:db8:1:2::7]:50001')).toBe(429);
    expect(await get('[2001:db8:1:2::8]')).toBe(429);
  });

  if (databaseKind === 'server') {
    /** Acts as another process on the same database. */
    const beside = ({ database }: TestApp, RATE_LIMIT: Settings['RATE_LIMIT'], clock: () => number) =>
      createApp({
        application: petStoreService,
        database,
        settings: { ...defaultSettings, RATE_LIMIT },
        access: OPEN_ACCESS,
        rules: defaultRules,
        metrics: createMetrics(),
        logger: pino({ level: 'silent' }),
        clock,
      });

    test('is shared by processes within a second, without a statement for each request', async () => {
      const rate = { units: 10, seconds: 60 };
      const clock = () => MOMENT;
      const one = await start({ RATE_LIMIT: rate }, {}, undefined, clock);
      const other = beside(one, rate, clock);
      const elsewhere = () => other.fetch(new Request('http://pets.example/pets/1'));
      for (let n = 0; n < 6; n++) await one.rest('GET', '/pets/1');
      expect(unitsLeft(await elsewhere())).toBe(9);
      await one.flush();
      await other.flush();
      expect(unitsLeft(await elsewhere())).toBe(2);
      expect(one.statements.filter((name) => name === 'limits.addUses')).toHaveLength(2);
    });

    test('is shared by processes that started before and after a jump of their clock: they use the database’s clock', async () => {
      const rate = { units: 10, seconds: 3_600 };
      const one = await start({ RATE_LIMIT: rate });
      const other = beside(one, rate, () => Date.now() + 86_400_000);
      await Promise.all([one.begin(), other.begin()]);
      for (let n = 0; n < 6; n++) await one.rest('GET', '/pets/1');
      await one.flush();
      await other.fetch(new Request('http://pets.example/pets/1'));
      await other.flush();
      const answer = await other.fetch(new Request('http://pets.example/pets/1'));
      expect(unitsLeft(answer)).toBe(2);
    });

    test.each([3_600, -3_600, 86_400, 1])('is shared by processes whose clocks are %d s apart', async (apart) => {
      const rate = { units: 10, seconds: 60 };
      const now = { milliseconds: MOMENT };
      const one = await start({ RATE_LIMIT: rate }, {}, undefined, () => now.milliseconds);
      const other = beside(one, rate, () => now.milliseconds + apart * 1_000);
      const elsewhere = () => other.fetch(new Request('http://pets.example/pets/1'));
      const count = async () => {
        await one.rest('GET', '/pets/1');
        await elsewhere();
        for (const app of [one, other, one]) await app.flush();
      };
      // A process that is behind continues in the window of the other, and shares its counts from the next time on.
      for (let n = 0; n < 2; n++) await count();
      now.milliseconds += 60_000;
      for (let n = 0; n < 3; n++) await one.rest('GET', '/pets/1');
      await one.flush();
      for (let n = 0; n < 2; n++) await elsewhere();
      await other.flush();
      await one.rest('GET', '/pets/1');
      await one.flush();
      expect([unitsLeft(await elsewhere()), unitsLeft(await one.rest('GET', '/pets/1'))]).toEqual([4, 3]);
    });

    test('gives no caller more units when a process is ahead, or was ahead and has stopped', async () => {
      const rate = { units: 10, seconds: 60 };
      const now = { milliseconds: MOMENT };
      const one = await start({ RATE_LIMIT: rate }, {}, undefined, () => now.milliseconds);
      const ahead = beside(one, rate, () => now.milliseconds + 86_400_000);
      for (let n = 0; n < 10; n++) await ahead.fetch(new Request('http://pets.example/pets/1'));
      await ahead.flush();
      await one.rest('GET', '/pets/1');
      for (let n = 0; n < 2; n++) {
        await one.flush();
        await one.rest('GET', '/pets/1');
      }
      await one.flush();
      const { status, headers } = await one.rest('GET', '/pets/1');
      expect(status).toBe(429);
      now.milliseconds += Number(headers.get('retry-after')) * 1_000;
      expect((await one.rest('GET', '/pets/1')).status).toBe(404);
    });

    test('counts nothing twice when old windows cannot be deleted', async () => {
      const app = await start(
        { RATE_LIMIT: { units: 10, seconds: 60 } },
        {},
        (database) =>
          watched(database, async ({ text }, run) => {
            if (text.startsWith('delete from "rate_limits"')) throw new Error('The connection is lost.');
            return run();
          }),
        () => MOMENT,
      );
      for (let n = 0; n < 3; n++) await app.rest('GET', '/pets/1');
      for (let n = 0; n < 3; n++) await app.flush();
      expect(unitsLeft(await app.rest('GET', '/pets/1'))).toBe(6);
    });

    test.each([1, 7_200])('is also shared once its window is no longer the %d s of before', async (seconds) => {
      const rate = { units: 10, seconds: 60 };
      const now = { milliseconds: MOMENT };
      const clock = () => now.milliseconds;
      const one = await start({ RATE_LIMIT: rate }, {}, undefined, clock);
      const before = beside(one, { units: 10, seconds }, clock);
      await before.fetch(new Request('http://pets.example/pets/1'));
      await before.flush();
      now.milliseconds += 60_000;
      const other = beside(one, rate, clock);
      for (let n = 0; n < 6; n++) await one.rest('GET', '/pets/1');
      await other.fetch(new Request('http://pets.example/pets/1'));
      await one.flush();
      await other.flush();
      expect(unitsLeft(await other.fetch(new Request('http://pets.example/pets/1')))).toBe(2);
    });
  }
});

test('a failure of the database is 500 on both protocols, and the response does not reveal its cause', async () => {
  const app = await start({}, {}, (database) =>
    watched(database, async ({ text }, run) => {
      if (text.includes('from "pets"')) throw new Error(`secret-host refused: ${text}`);
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

describe('a database that hangs', () => {
  async function startHanging(settings: Partial<Settings>, at = 'from "pets"') {
    const hanging: (() => void)[] = [];
    let hangs = true;
    const app = await startTestApp(settings, {}, (database) =>
      watched(database, async ({ text }, run) => {
        if (hangs && text.includes(at)) await new Promise<void>((resolve) => hanging.push(resolve));
        return run();
      }),
    );
    opened.push(app);
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
    const began = performance.now();
    const asked = Array.from({ length: 20 }, (_, n) => ask(n % 2 === 0 ? '/pets' : '/lifecycle', n));
    const answers = await Promise.all(asked);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(answers.sort()).toEqual([...Array(5).fill('TIMEOUT'), ...Array(15).fill('UNAVAILABLE')]);
    release();
    await expect.poll(() => ask('/pets', 0)).toBe('UNAUTHENTICATED');
    expect(new Set(lookedUp).size).toBe(5);
  });

  test('starts no further change of a request that was answered with 504', async () => {
    const app = await start({ REQUEST_TIMEOUT: 1_000 }, {}, (database) =>
      watched(database, async ({ text }, run) => {
        if (text.startsWith('update "categories"')) await sleep(700);
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
    await expect.poll(names, { timeout: 3_000 }).toEqual(['Second']);
    await sleep(200);
    expect(await names()).toEqual(['Second']);
  });

  test('makes no request wait longer than REQUEST_TIMEOUT for authentication and response together', async () => {
    const app = await start({ AUTH: 'all', REQUEST_TIMEOUT: 3_000 }, {}, (database) =>
      watched(database, async ({ text }, run) => {
        if (text.includes('from "api_keys"')) await sleep(2_000);
        if (text.includes('from "pets"')) await sleep(10_000, undefined, { ref: false });
        return run();
      }),
    );
    const { text } = await keyStore(app.database).create('a reader', ['read'], null);
    const headers = { authorization: `Bearer ${text}` };
    const began = performance.now();
    const { body } = await app.rest('GET', '/pets', { headers });
    expect([body.code, performance.now() - began < 4_500]).toEqual(['TIMEOUT', true]);
  });

  test('makes no request wait longer than REQUEST_TIMEOUT: 504', async () => {
    const { app, release } = await startHanging({ REQUEST_TIMEOUT: 300 });
    const began = performance.now();
    const answers = await Promise.all([
      app.rest('GET', '/pets'),
      app.rest('GET', '/pets/1'),
      app.rest('PATCH', '/pets/1', { body: { name: 'Max' }, headers: { 'idempotency-key': 'late' } }),
    ]);
    expect(performance.now() - began).toBeLessThan(2_000);
    for (const { status, body, headers } of answers) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([504, 'TIMEOUT', '1']);
    }
    const { errors } = await app.graphql('{ pets { nodes { id } } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'TIMEOUT', status: 504 });
    release();
    expect((await app.rest('GET', '/pets')).status).toBe(200);
  });

  test.each([
    ['/categories', { name: 'Cats' }, 201],
    ['/graphql', { query: 'mutation { createCategory(category: { name: "Owls" }) { name } }' }, 200],
  ])('makes no request with an Idempotency-Key wait longer: %s', async (path, body, status) => {
    const { app, release } = await startHanging({ REQUEST_TIMEOUT: 300 }, 'insert into "idempotency_keys"');
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'late' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const send = () => app.fetch(new Request(`http://pets.example${path}`, request));
    const late = await Promise.race([send(), sleep(5_000)]);
    expect([late?.status, late?.headers.get('retry-after')]).toEqual([504, '1']);
    release();
    await expect.poll(async () => (await send()).status).toBe(status);
  });
});
