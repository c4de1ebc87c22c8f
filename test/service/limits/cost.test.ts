import { describe, expect, test } from 'vitest';
import { disposeApps, limited, unitsLeft } from './apps.ts';

disposeApps();

describe('RATE_LIMIT', () => {
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
    for (const size of [0, -100_000]) {
      expect(await cost(() => app.graphql(`{ pets(first: ${size}) { nodes { id } } }`))).toBe(2);
    }
    const named = 'query ($__proto__: Int = 100) { pets(first: $__proto__) { nodes { id } } }';
    expect(await cost(() => app.graphql(named))).toBe(6);
    expect(await cost(() => app.graphql('{ a: pet(petId: 1) { id } b: pet(petId: 2) { id } }'))).toBe(2);
    for (const events of ['events', 'events(first: null)', 'events(first: 100)'])
      expect(await cost(() => app.graphql(`{ ${events} { nodes { id } } }`))).toBe(6);
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

  test('counts an Idempotency-Key as two units more, and each 4 KiB that the stored response may have', async () => {
    const app = await limited(1_000);
    const headers = { 'idempotency-key': 'once' };
    const before = unitsLeft(await app.rest('GET', '/pets/1'));
    const pet = { body: { name: 'Rex', categoryId: 0 } };
    const left = [await app.rest('POST', '/pets', pet), await app.rest('POST', '/pets', { ...pet, headers })].map(
      unitsLeft,
    );
    expect(left.map((units) => before - units)).toEqual([1, 4]);
    const costOf = async (names: number, key?: string) => {
      const fields = Array.from({ length: names }, (_, n) => `a${n}: name`).join(' ');
      const document = `mutation { createCategory(category: { name: "Dogs" }) { ${fields} } }`;
      for (let time = 0; time < 2; time++) await app.graphql(document);
      const start = unitsLeft(await app.rest('GET', '/pets/1'));
      const headers = key === undefined ? {} : { 'idempotency-key': key };
      const response = await app.rest('POST', '/graphql', { body: { query: document }, headers });
      return start - 1 - unitsLeft(response);
    };
    // A name has up to 200 characters, of up to four bytes each.
    expect((await costOf(2, 'short')) - (await costOf(2))).toBe(2);
    expect((await costOf(50, 'long')) - (await costOf(50))).toBe(2 + Math.floor((50 * 810) / 4_096));
  });

  test('counts what a subscription selects for its events, and ends it when no units are left', async () => {
    const app = await limited(150);
    await app.database.transaction((query) =>
      query("insert into categories (name) select 'Dogs' from generate_series(1, 200)", []),
    );
    await app.begin();
    const unpublished = () => app.database.transaction((query) => query('select 1 from outbox limit 1', []));
    await expect.poll(unpublished).toEqual([]);
    const sent = async (selection: string) => {
      const query = `subscription { events(after: "1.0") { id data { ... on Category { ${selection} } } } }`;
      const response = await app.fetch(
        new Request('http://pets.example/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
          body: JSON.stringify({ query }),
        }),
      );
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) {
        text += chunk.value;
        if (text.includes('id: 1.200\n')) await reader?.cancel();
      }
      return text;
    };
    // Events that are sent at once cost as much as a list with as many rows, each with its own list. Each time they are
    // twice as many as before: the units pay for 1, 2, 4 and so on to 64, but not for what is left.
    const first = await sent('pets(first: 20) { nodes { id } }');
    expect([...first.matchAll(/^id: /gm)]).toHaveLength(127);
    expect(first).toMatch(/"code":"RATE_LIMITED".*\n\nevent: complete\ndata:\n\n$/);
    expect([...(await sent('name')).matchAll(/^id: /gm)]).toHaveLength(200);
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
    // The ids are values of the body, too.
    expect([before - rest, rest - graphql]).toEqual([1 + 55, 1 + 55 + 1]);
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
    const tooLarge = `{ ${'...F '.repeat(100)} } fragment F on Query { ${'__typename '.repeat(50)} }`;
    for (const _ of ['first', 'second', 'third']) expect(await cost(tooLarge)).toBe(10);
    const { errors, headers } = await app.graphql(`{ __typename ${padding.repeat(99)} }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('counts the page about uses by the size of their table, and the metrics as five reads', async () => {
    const app = await limited(10_000);
    const pages = await app.database.transaction(async (query) => {
      await query(
        `insert into lifecycle_uses (coordinate, day, client, uses, last_seen)
          select 'Query.pet', current_date, 'client-' || n, 1, now() from generate_series(1, 10000) as n`,
        [],
      );
      return query("select pg_relation_size('lifecycle_uses')::int / 8192", []);
    });
    await app.begin();
    const cost = async (path: string, accept: string) => {
      const before = unitsLeft(await app.rest('GET', '/pets/1'));
      const { status, headers } = await app.fetch(new Request(`http://pets.example${path}`, { headers: { accept } }));
      expect(status).toBe(200);
      return before - unitsLeft({ headers });
    };
    const ofTable = 1 + Math.floor(Number(pages[0]?.[0]) / 10);
    expect(ofTable).toBeGreaterThan(5);
    expect(await cost('/lifecycle', 'application/json')).toBe(1 + ofTable);
    expect(await cost('/lifecycle', 'text/html')).toBe(1 + 20 + ofTable);
    expect(await cost('/metrics', '*/*')).toBe(1 + 4);
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
});
