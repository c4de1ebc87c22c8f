import { beforeAll, describe, expect, test } from 'vitest';
import { app, create, cursorOf, type List, lists, nextOf, orders, pets, startShop, walk } from './rows.ts';

startShop();

/** A forged cursor in the format of a real one. */
function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const walks = lists.flatMap((list): [title: string, list: List, query: string][] =>
  list.sorts.length === 0
    ? [[list.path, list, '']]
    : list.sorts.map((sort) => [`${list.path} by ${sort}`, list, `sort=${sort}`]),
);

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
    ['a megabyte', 'x'.repeat(100_000)],
    ['a name of 3,000 characters', encode(['pets.name', '1', 'x'.repeat(3_000)])],
  ])('rejects a forged cursor: %s', async (_, forged) => {
    await assertRejected(`${path}?${query}&after=${encodeURIComponent(forged)}`);
  });

  const impossible = query.includes('hipDate')
    ? [
        'tomorrow',
        "'; drop table orders; --",
        '2026-02-30T00:00:00.000Z',
        '0000-01-01T00:00:00.000Z',
        '+010000-01-01T00:00:00.000Z',
        query.includes('-') ? 'infinity' : '-infinity',
      ]
    : [query.includes('name') ? '\0' : 'a value of a list without one'];
  test.each<unknown[][]>([
    [[]],
    [['one']],
    [['undefined']],
    [['9223372036854775808']],
    [[1]],
    [['007']],
    [['1', 'x', 'y']],
    ...impossible.map((value) => [['1', value]]),
    ...(/(^|=-?id)$/.test(query) ? [] : [[['1']]]),
  ])('rejects a forged cursor of its own order: %j', async (position) => {
    const [order] = JSON.parse(Buffer.from(await cursorOf(path, query), 'base64url').toString());
    await assertRejected(`${path}?${query}&after=${encode([order, ...position])}`);
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
    const message = /^after is a cursor of another list, or of this list in another order\./;
    for (const cursor of foreign) await assertRejected(`${path}?${query}&after=${cursor}`, message);
  });

  async function assertRejected(address: string, message = /^after /): Promise<void> {
    const { status, body } = await app.rest('GET', address);
    expect({ address, status }).toEqual({ address, status: 400 });
    expect(body.code).toBe('INVALID_ARGUMENT');
    expect(body.message).toMatch(message);
  }
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
