import { beforeAll, describe, expect, test } from 'vitest';
import { app, create, dateOf, lists, nextOf, pets, startShop, walk } from './rows.ts';

startShop();

describe.each(lists.map((list) => [list.path, list] as const))('the list at %s', (path, { make, idOf }) => {
  const made: number[] = [];

  beforeAll(async () => {
    for (let index = 0; index < 120; index++) made.push(await make('A'));
  });

  test('has pages of 20 rows by default', async () => {
    const { body, headers } = await app.rest('GET', path);
    expect(body).toHaveLength(20);
    expect(nextOf(headers)).toMatch(new RegExp(`^${path}\\?after=[\\w-]+$`));
  });

  test.each([1, 2, 99, 100])('has pages of the requested size: %s', async (limit) => {
    const { status, body } = await app.rest('GET', `${path}?limit=${limit}`);
    expect(status).toBe(200);
    expect(body).toHaveLength(limit);
  });

  test('has each row once and in order on its pages', async () => {
    const all = (await walk(`${path}?limit=100`)).flat().map(idOf);
    expect(all).toEqual(expect.arrayContaining(made));
    expect(all).toEqual([...new Set(all)].toSorted((one, other) => Number(one) - Number(other)));
    expect((await walk(`${path}?limit=7`)).flat().map(idOf)).toEqual(all);
    expect((await walk(path)).flat().map(idOf)).toEqual(all);
  });

  test('has a next link on every page but the last, which is never empty', async () => {
    const key = path === '/store/inventory' ? 'petId' : 'id';
    const filter = made.slice(0, 6).map((id) => `${key}=${id}`);
    const sizes = async (limit: number, count: number) =>
      (await walk(`${path}?limit=${limit}&${filter.slice(0, count).join('&')}`)).map((page) => page.length);
    expect(await sizes(3, 6)).toEqual([3, 3]);
    expect(await sizes(6, 6)).toEqual([6]);
    expect(await sizes(3, 5)).toEqual([3, 2]);
    expect(await sizes(2, 1)).toEqual([1]);
    expect(await sizes(1, 3)).toEqual([1, 1, 1]);
    expect((await walk(`${path}?limit=3&${key}=0`)).map((page) => page.length)).toEqual([0]);
  });
});

describe('the order of a list', () => {
  test.each([
    ['shipDate', 'ABBYZZ'],
    ['-shipDate', 'YBBAZZ'],
  ])('by %s is the same with any page size; orders without a date are last', async (sort, expected) => {
    const petId = await pets.make('Rex');
    for (const letter of 'ZBAYBZ') await create('/store/orders', { petId, ...dateOf(letter) });
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const rows = (await walk(`/store/orders?petId=${petId}&sort=${sort}&limit=${limit}`)).flat();
      const letters = rows.map(({ shipDate }) =>
        shipDate === undefined ? 'Z' : String.fromCharCode(64 + new Date(shipDate).getUTCDate()),
      );
      expect(letters.join('')).toBe(expected);
      const order = rows.filter(({ shipDate }) => shipDate === undefined).map(({ id }) => id ?? 0);
      expect(order).toEqual(order.toSorted((one, other) => (sort === 'shipDate' ? one - other : other - one)));
    }
  });

  test.each(['shipDate', '-shipDate'])('by %s is right at the first and the last dates, page by page', async (sort) => {
    const petId = await pets.make('Rex');
    const dates = [
      '0001-01-01T00:00:00.000Z',
      '0099-12-31T23:59:59.999Z',
      '1582-10-10T00:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '2026-03-29T01:30:00.001Z',
      '9999-12-31T23:59:59.999Z',
    ];
    for (const shipDate of [...dates, undefined]) await create('/store/orders', { petId, shipDate });
    const seen = (await walk(`/store/orders?petId=${petId}&sort=${sort}&limit=1`)).flat();
    const expected = sort === 'shipDate' ? dates : dates.toReversed();
    expect(seen.map(({ shipDate }) => shipDate)).toEqual([...expected, undefined]);
  });

  test.each(['name', '-name'])('by %s is right across pages for names in many scripts', async (sort) => {
    const mine = await create('/categories', { name: 'Names' });
    const names = [
      'a',
      'A',
      'É',
      'é',
      'Zoe',
      'zoë',
      '%',
      '_',
      '\\',
      '"',
      ' x',
      '犬',
      '🐕',
      `Max\u{10ffff}`,
      'ß',
      'İ',
      'i',
    ];
    for (const name of [...names, ...names]) await create('/pets', { name, categoryId: mine });
    const list = `/pets?categoryId=${mine}&sort=${sort}`;
    const atOnce = (await walk(`${list}&limit=100`)).flat();
    expect(atOnce).toHaveLength(2 * names.length);
    for (const limit of [1, 3]) expect((await walk(`${list}&limit=${limit}`)).flat()).toEqual(atOnce);
  });
});

describe('Prefer: count=exact', () => {
  const counted = { prefer: 'count=exact' };

  test.each(lists.map((list) => [list.path, list] as const))(
    'of %s returns the total number of rows',
    async (path, list) => {
      await list.make('A');
      await list.make('B');
      const { data } = await app.graphql(
        '{ pets { totalCount } categories { totalCount } orders { totalCount } inventory { totalCount } }',
      );
      const total = data[path.split('/').at(-1) as string].totalCount;
      const { status, headers, body } = await app.rest('GET', `${path}?limit=1`, { headers: counted });
      expect([status, body.length, headers.get('total-count'), headers.get('preference-applied')]).toEqual([
        200,
        1,
        `${total}`,
        'count=exact',
      ]);
      expect(headers.get('link')).toContain('rel="next"');
    },
  );

  test('counts the rows that match the filters, also on a later page', async () => {
    const own = await create('/categories', { name: 'Counted' });
    for (const name of ['A', 'B', 'C']) await create('/pets', { name, categoryId: own });
    const first = await app.rest('GET', `/pets?categoryId=${own}&limit=2`, { headers: counted });
    const next = /<http:\/\/pets\.example([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await app.rest('GET', next, { headers: counted });
    expect([first, second].map(({ body, headers }) => [body.length, headers.get('total-count')])).toEqual([
      [2, '3'],
      [1, '3'],
    ]);
  });

  test.each([
    'count="exact"',
    'Count = Exact',
    'respond-async, count=exact; x=1',
    'count=exact, wait=10',
    'count=exact, count=none',
  ])('may be written %s', async (prefer) => {
    expect((await app.rest('GET', '/pets', { headers: { prefer } })).headers.get('preference-applied')).toBe(
      'count=exact',
    );
  });

  test.each([
    undefined,
    'count=estimated',
    'count=none, count=exact',
    'count, count=exact',
    'return=minimal',
    'discount=exact',
    'count=exactly',
    '',
  ])('MUST be ignored where it is another (RFC 7240, section 2): %s', async (prefer) => {
    app.statements.length = 0;
    const headers = prefer === undefined ? {} : { prefer };
    const answer = await app.rest('GET', '/pets?limit=1', { headers });
    expect([answer.status, answer.headers.get('total-count'), answer.headers.get('preference-applied')]).toEqual([
      200,
      null,
      null,
    ]);
    expect(app.statements).toEqual(['pets.list']);
  });

  test('selects another representation, so Vary names it (RFC 7240, section 2)', async () => {
    const [plain, total] = [await app.rest('GET', '/pets'), await app.rest('GET', '/pets', { headers: counted })];
    for (const { headers } of [plain, total]) expect(headers.get('vary')).toContain('Prefer');
    const tag = total.headers.get('etag') as string;
    expect(tag).not.toBe(plain.headers.get('etag'));
    const again = await app.rest('GET', '/pets', { headers: { ...counted, 'if-none-match': tag } });
    expect([again.status, again.headers.get('total-count')]).toEqual([304, total.headers.get('total-count')]);
  });
});
