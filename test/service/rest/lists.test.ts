import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

interface Row {
  readonly id?: number;
  readonly petId?: number;
  readonly name?: string;
  readonly shipDate?: string;
}

/** A list, and how to create and remove a row of it. The letter decides its place in the order by name or ship date. */
interface List {
  readonly path: string;
  readonly sorts: readonly string[];
  make(letter: string): Promise<number>;
  remove(id: number): Promise<number>;
  readonly idOf: (row: Row) => number | undefined;
}

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await startTestApp();
  categoryId = await create('/categories', { name: 'Dogs' });
});
afterAll(() => app.dispose());

const pets: List = {
  path: '/pets',
  sorts: ['id', '-id', 'name', '-name'],
  make: (letter) => create('/pets', { name: letter, categoryId }),
  remove: (id) => remove(`/pets/${id}`),
  idOf: ({ id }) => id,
};
const categories: List = {
  path: '/categories',
  sorts: ['id', '-id', 'name', '-name'],
  make: (letter) => create('/categories', { name: letter }),
  remove: (id) => remove(`/categories/${id}`),
  idOf: ({ id }) => id,
};
const orders: List = {
  path: '/store/orders',
  sorts: ['id', '-id', 'shipDate', '-shipDate'],
  make: (letter) => create('/store/orders', dateOf(letter)),
  remove: (id) => remove(`/store/orders/${id}`),
  idOf: ({ id }) => id,
};
const inventory: List = {
  path: '/store/inventory',
  sorts: [],
  make: async (letter) => {
    const petId = await pets.make(letter);
    expect((await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 1 } })).status).toBe(201);
    return petId;
  },
  remove: (id) => remove(`/store/inventory/${id}`),
  idOf: ({ petId }) => petId,
};

const lists = [pets, categories, orders, inventory];
const walks = lists.flatMap((list): [title: string, list: List, query: string][] =>
  list.sorts.length === 0
    ? [[list.path, list, '']]
    : list.sorts.map((sort) => [`${list.path} by ${sort}`, list, `sort=${sort}`]),
);

async function create(path: string, fields: object): Promise<number> {
  const { status, body } = await app.rest('POST', path, { body: fields });
  expect(status).toBe(201);
  return body.id;
}

async function remove(path: string): Promise<number> {
  return (await app.rest('DELETE', path)).status;
}

/** A to Y are days of one month; Z is an order without a date. */
function dateOf(letter: string): object {
  const day = letter.charCodeAt(0) - 'A'.charCodeAt(0) + 1;
  return letter === 'Z' ? {} : { shipDate: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z` };
}

/** The URL of rel=next; undefined on the last page. */
function nextOf(headers: Headers): string | undefined {
  const link = headers.get('link');
  if (link === null) return undefined;
  const address = /^<http:\/\/pets\.example(\/[^>]+)>; rel="next"$/.exec(link)?.[1];
  if (address === undefined) throw new Error(`The link to the next page is ${link}`);
  return address;
}

/** All pages from a URL on; `meanwhile` runs after each page that has a next one. */
async function walk(from: string, meanwhile: (page: Row[]) => Promise<void> = async () => {}): Promise<Row[][]> {
  const seen: Row[][] = [];
  for (let next: string | undefined = from; next !== undefined; ) {
    const { status, body, headers } = await app.rest('GET', next);
    expect(status).toBe(200);
    seen.push(body);
    if (seen.length > 1_000) throw new Error(`The walk from ${from} does not end.`);
    next = nextOf(headers);
    if (next !== undefined) await meanwhile(body);
  }
  return seen;
}

/** A cursor of the list with this sort. */
async function cursorOf(path: string, query: string): Promise<string> {
  const { headers } = await app.rest('GET', `${path}?limit=1&${query}`);
  const cursor = new URL(nextOf(headers) ?? '', 'http://pets.example').searchParams.get('after');
  if (cursor === null) throw new Error(`${path}?${query} has no second page`);
  return cursor;
}

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

  test.each(['0', '-1', '101', '1000', '1.5', 'abc', '', '1e1', '+5', ' 5', '99999999999999999999', 'null'])(
    'rejects the page size "%s"',
    async (limit) => {
      const { status, body } = await app.rest('GET', `${path}?limit=${encodeURIComponent(limit)}`);
      expect(status).toBe(400);
      expect(body.code).toBe('INVALID_ARGUMENT');
      expect(body.message).toMatch(/^limit must be /);
    },
  );

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

describe.each(walks)('paging through %s', (_, list, query) => {
  const { path, make, remove: removeRow, idOf } = list;

  test('returns a row that exists throughout exactly once, in order, whatever is added or removed', async () => {
    const kept: number[] = [];
    const doomed: number[] = [];
    for (const letter of 'CCXFFFZZMMCHZ') {
      kept.push(await make(letter));
      doomed.push(await make(letter), await make(letter));
    }
    const still = (await walk(`${path}?limit=100&${query}`)).flat().map((row) => idOf(row) ?? 0);
    const expected = still.filter((id) => kept.includes(id));
    expect(expected).toHaveLength(kept.length);

    const letters = [...'ACFHMXZ'];
    let turn = 0;
    const pages = await walk(`${path}?limit=4&${query}`, async (page) => {
      // The next page begins at the page's last row, so deleting that row is the critical case.
      const here = page.map(idOf).findLast((id) => id !== undefined && doomed.includes(id));
      const ahead = doomed[turn];
      for (const id of new Set([here, ahead])) if (id !== undefined) await removeRow(id);
      if (turn < 60) await make(letters[turn % letters.length] ?? 'A');
      turn += 1;
    });
    const seen = pages.flat().map((row) => idOf(row) ?? 0);
    expect(turn).toBeGreaterThan(10);
    expect(seen.filter((id) => kept.includes(id))).toEqual(expected);
    expect(seen).toHaveLength(new Set(seen).size);
  });

  test('continues at the right row when the last row of a page is deleted', async () => {
    const all = (await walk(`${path}?limit=100&${query}`)).flat().map((row) => idOf(row) ?? 0);
    const mine = [await make('D'), await make('D'), await make('D')];
    const before = (await walk(`${path}?limit=100&${query}`)).flat().map((row) => idOf(row) ?? 0);
    expect(before).toHaveLength(all.length + 3);
    const places = mine.map((id) => before.indexOf(id));
    const middle = places.toSorted((one, other) => one - other)[1] ?? 0;
    const target = before[middle] ?? 0;

    let next: string | undefined = `${path}?limit=1&${query}`;
    for (let index = 0; index <= middle && next !== undefined; index++) {
      const { body, headers } = await app.rest('GET', next);
      expect(idOf(body[0])).toBe(before[index]);
      next = nextOf(headers);
    }
    expect(next).toBeDefined();
    expect(await removeRow(target)).toBe(204);
    const rest = (await walk((next ?? '').replace('limit=1&', 'limit=100&'))).flat().map(idOf);
    expect(rest).toEqual(before.slice(middle + 1));
  });

  test.each([
    ['nothing', ''],
    ['no cursor', 'abc'],
    ['a number', '20'],
    ['something of another alphabet', 'é🐕'],
    ['JSON that is no cursor', encode({ id: 1 })],
    ['an empty cursor', encode([])],
    ['an unknown sort', encode(['size', '1'])],
    ['an invalid id', encode(['id', 'one'])],
    ['an id beyond 64 bits', encode(['id', '9223372036854775808'])],
    ['an id that is a number', encode(['id', 1])],
    ['an id with leading zeros', encode(['id', '007'])],
    ['too many values', encode(['id', '1', 'x', 'y'])],
    ['a value that no row can have', encode(['name', '1', 'half a pair \ud83d'])],
    ['an invalid date', encode(['shipDate', '1', 'tomorrow'])],
    ['a date that is SQL', encode(['shipDate', '1', "'; drop table orders; --"])],
    ['-infinity', encode(['shipDate', '1', '-infinity'])],
    ['no value', encode(['name', '1'])],
    ['a megabyte', 'x'.repeat(100_000)],
    ['a name of 3,000 characters', encode(['pets.name', '1', 'x'.repeat(3_000)])],
  ])('rejects a forged cursor: %s', async (_, forged) => {
    await assertRejected(`${path}?${query}&after=${encodeURIComponent(forged)}`);
  });

  test('rejects a cursor that was cut short, extended or changed', async () => {
    const cursor = await cursorOf(path, query);
    for (let length = 1; length < cursor.length; length++) {
      await assertRejected(`${path}?${query}&after=${cursor.slice(0, length)}`);
    }
    for (const changed of [
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}.`,
      `A${cursor}`,
      ` ${cursor}`,
      cursor.toLowerCase(),
    ]) {
      await assertRejected(`${path}?${query}&after=${encodeURIComponent(changed)}`);
    }
  });

  test('rejects a cursor of another sort', async () => {
    const others = list.sorts.filter((sort) => `sort=${sort}` !== query);
    const foreign = others.length === 0 ? [await cursorOf('/pets', 'sort=-id')] : [];
    for (const sort of others) foreign.push(await cursorOf(path, `sort=${sort}`));
    expect(foreign.length).toBeGreaterThan(0);
    for (const cursor of foreign) await assertRejected(`${path}?${query}&after=${cursor}`);
  });

  async function assertRejected(address: string): Promise<void> {
    const { status, body } = await app.rest('GET', address);
    expect({ address, status }).toEqual({ address, status: 400 });
    expect(body.code).toBe('INVALID_ARGUMENT');
    expect(body.message).toMatch(/^after /);
  }
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

describe('the link to the next page', () => {
  const filters = 'status=sold&status=pending&name=100%25%20%26%20caf%C3%A9&sort=-name&limit=2';
  let mine: number;

  beforeAll(async () => {
    mine = await create('/categories', { name: 'Mine' });
    for (const [name, status] of [
      ['100% & café one', 'sold'],
      ['100% & CAFÉ two', 'pending'],
      ['100% & Café three', 'sold'],
      ['100% & café four', 'available'],
      ['100% & café five', 'pending'],
      ['100 & café six', 'sold'],
    ]) {
      await create('/pets', { name, status, categoryId: mine });
    }
  });

  test('is absolute and keeps every filter, also repeated ones', async () => {
    const { headers } = await app.rest('GET', `/pets?${filters}&categoryId=${mine}`);
    const address = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';
    expect(address.startsWith('http://pets.example/pets?')).toBe(true);
    const parameters = new URL(address).searchParams;
    expect(parameters.getAll('status')).toEqual(['sold', 'pending']);
    expect(parameters.get('name')).toBe('100% & café');
    expect(parameters.get('sort')).toBe('-name');
    expect(parameters.get('limit')).toBe('2');
    expect(parameters.get('categoryId')).toBe(String(mine));
    expect(parameters.getAll('after')).toHaveLength(1);
  });

  test('leads through all matching rows, and has one cursor on every page', async () => {
    const pages = await walk(`/pets?${filters}&categoryId=${mine}`);
    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([
      ['100% & CAFÉ two', '100% & Café three'],
      ['100% & café one', '100% & café five'],
    ]);
    const { headers } = await app.rest('GET', `/pets?limit=1&after=${await cursorOf('/pets', '')}&categoryId=${mine}`);
    expect(nextOf(headers)?.match(/after=/g)).toHaveLength(1);
  });

  test('has one cursor even if the client encoded the name of the parameter', async () => {
    const first = await app.rest('GET', `/pets?limit=1&categoryId=${mine}`);
    const respelt = (nextOf(first.headers) ?? '').replace('after=', '%61fter=');
    const second = await app.rest('GET', respelt);
    expect(second.status).toBe(200);
    const third = await app.rest('GET', nextOf(second.headers) ?? '');
    expect(third.status).toBe(200);
    expect(third.body[0].id).toBe(second.body[0].id + 1);
  });

  test('may lead to an empty last page when the remaining rows are deleted', async () => {
    const petId = await pets.make('Rex');
    const orderIds = [await create('/store/orders', { petId }), await create('/store/orders', { petId })];
    const { headers } = await app.rest('GET', `/store/orders?petId=${petId}&limit=1`);
    for (const id of orderIds) expect(await orders.remove(id)).toBe(204);
    expect(await walk(nextOf(headers) ?? '')).toEqual([[]]);
  });
});

/** A forged cursor in the format of a real one. */
function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

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

  test.each(['count="exact"', 'Count = Exact', 'respond-async, count=exact; x=1', 'count=exact, wait=10'])(
    'may be written %s',
    async (prefer) => {
      expect((await app.rest('GET', '/pets', { headers: { prefer } })).headers.get('preference-applied')).toBe(
        'count=exact',
      );
    },
  );

  test.each([undefined, 'count=estimated', 'return=minimal', 'discount=exact', 'count=exactly', ''])(
    'MUST be ignored where it is another (RFC 7240, section 2): %s',
    async (prefer) => {
      app.statements.length = 0;
      const headers = prefer === undefined ? {} : { prefer };
      const answer = await app.rest('GET', '/pets?limit=1', { headers });
      expect([answer.status, answer.headers.get('total-count'), answer.headers.get('preference-applied')]).toEqual([
        200,
        null,
        null,
      ]);
      expect(app.statements).toEqual(['pets.list']);
    },
  );

  test('selects another representation, so Vary names it (RFC 7240, section 2)', async () => {
    const [plain, total] = [await app.rest('GET', '/pets'), await app.rest('GET', '/pets', { headers: counted })];
    for (const { headers } of [plain, total]) expect(headers.get('vary')).toContain('Prefer');
    const tag = total.headers.get('etag') as string;
    expect(tag).not.toBe(plain.headers.get('etag'));
    const again = await app.rest('GET', '/pets', { headers: { ...counted, 'if-none-match': tag } });
    expect([again.status, again.headers.get('total-count')]).toEqual([304, total.headers.get('total-count')]);
  });
});
