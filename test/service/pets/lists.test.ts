import { beforeAll, describe, expect, test } from 'vitest';
import { app, ids, makeCategory, makePet, type Pet, startShop } from './shop.ts';

startShop();

async function names(query: string): Promise<string[]> {
  const { status, body } = await app.rest('GET', `/pets?limit=100&${query}`);
  expect(status).toBe(200);
  return body.map((pet: Pet) => pet.name);
}

describe('ids beyond the exact numbers of JavaScript', () => {
  test.each([9007199254740993n, 9223372036854775807n])('%s is exact to the last digit, both ways', async (id) => {
    await app.database.transaction(async (query) => {
      await query('insert into categories (id, name) values ($1, $2)', [String(id), 'Far']);
      await query('insert into pets (id, name, category_id) values ($1, $2, $1)', [String(id), 'Far']);
    });
    const pet = { id, name: 'Far', categoryId: id, status: 'available' };

    const { text, body, headers } = await app.rest('GET', `/pets/${id}`);
    expect(text).toContain(`"id":${id},`);
    expect(text).toContain(`"categoryId":${id},`);
    expect(body).toEqual(pet);
    expect(headers.get('link')).toContain(`<http://pets.example/pets?id=${id}>; rel="successor-version"`);
    expect((await app.rest('PUT', `/pets/${id}`, { body: pet })).body).toEqual(pet);
    expect((await app.rest('PATCH', `/pets/${id}`, { body: { id, categoryId: id } })).body).toEqual(pet);
    expect((await app.rest('GET', `/pets?id=${id}&categoryId=${id}`)).body).toEqual([pet]);

    const another = await app.rest('POST', '/pets', { body: { name: 'Near', categoryId: id } });
    expect(another.body.categoryId).toBe(id);
    expect((await app.rest('PUT', `/store/inventory/${id}`, { body: { quantity: 3 } })).headers.get('location')).toBe(
      `http://pets.example/store/inventory/${id}`,
    );
    const order = await app.rest('POST', '/store/orders', { body: { petId: id } });
    expect(order.text).toContain(`"petId":${id},`);
    expect((await app.rest('DELETE', `/store/orders/${order.body.id}`)).status).toBe(204);

    const neighbour = await app.rest('PUT', `/pets/${id}`, { body: { ...pet, id: id - 1n } });
    expect(neighbour.status).toBe(422);
    expect(neighbour.body.message).toContain(`${id}`);
    expect((await app.rest('GET', `/pets/${id - 2n}`)).body.message).toBe(`No pet has the id ${id - 2n}.`);
    expect((await app.rest('DELETE', `/pets/${id}`)).status).toBe(204);
    expect((await app.rest('GET', `/pets?id=${id}`)).body).toEqual([]);
  });

  test('paging continues after such an id', async () => {
    const far = await makeCategory();
    const big = [9007199254740995n, 9007199254740996n, 9007199254740997n];
    await app.database.transaction(async (query) => {
      for (const id of big) {
        await query('insert into pets (id, name, category_id) values ($1, $2, $3)', [String(id), 'Far', far]);
      }
    });
    const seen: bigint[] = [];
    for (let next: string | undefined = `/pets?categoryId=${far}&limit=1`; next !== undefined; ) {
      const { body, headers } = await app.rest('GET', next);
      seen.push(...body.map((pet: { id: bigint }) => pet.id));
      next = headers.get('link')?.match(/^<http:\/\/pets\.example([^>]+)>/)?.[1];
    }
    expect(seen).toEqual(big);
  });
});

describe('GET /pets', () => {
  test('returns an array of pets', async () => {
    const mine = await makeCategory();
    const pets = [await makePet({ categoryId: mine }), await makePet({ categoryId: mine, status: 'sold' })];
    const { status, body } = await app.rest('GET', `/pets?categoryId=${mine}`);
    expect(status).toBe(200);
    expect(body).toEqual(pets);
    expect((await app.rest('GET', `/pets?categoryId=${await makeCategory()}`)).text).toBe('[]');
  });

  test('a repeated parameter matches any of its values; different parameters must all match', async () => {
    const [one, other] = [await makeCategory(), await makeCategory()];
    const a = await makePet({ categoryId: one, status: 'available' });
    const b = await makePet({ categoryId: one, status: 'pending' });
    const c = await makePet({ categoryId: other, status: 'sold' });
    const both = `categoryId=${one}&categoryId=${other}`;
    expect(await ids(`categoryId=${one}`)).toEqual([a.id, b.id]);
    expect(await ids(both)).toEqual([a.id, b.id, c.id]);
    expect(await ids(`${both}&categoryId=${one}`)).toEqual([a.id, b.id, c.id]);
    expect(await ids(`${both}&status=sold`)).toEqual([c.id]);
    expect(await ids(`${both}&status=sold&status=available`)).toEqual([a.id, c.id]);
    expect(await ids(`${both}&status=sold&status=available&status=pending&status=sold`)).toEqual([a.id, b.id, c.id]);
    expect(await ids(`id=${c.id}&id=${a.id}&id=-1`)).toEqual([a.id, c.id]);
    expect(await ids(`id=${c.id}&id=${a.id}&status=sold`)).toEqual([c.id]);
    expect(await ids(`id=${a.id}&categoryId=${other}`)).toEqual([]);
  });

  test('accepts as many ids as fit into a URL', async () => {
    const [first, last] = [await makePet(), await makePet()];
    const missing = Array.from({ length: 500 }, (_, index) => `id=${5_000_000_000 + index}`).join('&');
    expect(await ids(`id=${last.id}&${missing}&id=${first.id}`)).toEqual([first.id, last.id]);
  });

  test('sorts by id and by name, both ways, without regard to case; ties are sorted by id', async () => {
    const mine = await makeCategory();
    const made: Pet[] = [];
    for (const name of ['bob', 'Alice', 'alice', 'ALICE', 'Carl', 'BOB', 'b', 'B 2']) {
      made.push(await makePet({ name, categoryId: mine }));
    }
    const filter = `categoryId=${mine}`;
    const byName = ['Alice', 'alice', 'ALICE', 'b', 'B 2', 'bob', 'BOB', 'Carl'];
    const inOrder = made.map((pet) => pet.id);
    expect(await ids(filter)).toEqual(inOrder);
    expect(await ids(`${filter}&sort=id`)).toEqual(inOrder);
    expect(await ids(`${filter}&sort=-id`)).toEqual(inOrder.toReversed());
    expect(await names(`${filter}&sort=name`)).toEqual(byName);
    expect(await names(`${filter}&sort=-name`)).toEqual(byName.toReversed());
  });

  describe('name finds the names that begin with it', () => {
    let mine: number;
    const all = [
      'Rex',
      'REXY',
      'T. rex',
      '100% Rex',
      '100 Rex',
      '%',
      '_',
      'a_b',
      'axb',
      'back\\slash',
      '\\',
      'Élan',
      'élan vital',
      'Elan',
      'Ωmega',
      "O'Neil",
      '犬',
      '🐕 Rex',
      'a+b',
      'a b',
      `Max\u{10ffff}`,
      `${'long'.repeat(50)}`,
    ];

    beforeAll(async () => {
      mine = await makeCategory();
      for (const name of all) await makePet({ name, categoryId: mine });
    });

    test.each([
      ['rex', ['Rex', 'REXY']],
      ['ReX', ['Rex', 'REXY']],
      ['rexy', ['REXY']],
      ['Rexyz', []],
      ['ex', []],
      ['%', ['%']],
      ['100%', ['100% Rex']],
      ['100', ['100% Rex', '100 Rex']],
      ['_', ['_']],
      ['a_', ['a_b']],
      ['\\', ['\\']],
      ['back\\', ['back\\slash']],
      ['\\%', []],
      ['É', ['Élan', 'élan vital']],
      ['éLAN', ['Élan', 'élan vital']],
      ['élan ', ['élan vital']],
      ['E', ['Elan']],
      ['ω', ['Ωmega']],
      ["o'n", ["O'Neil"]],
      ['犬', ['犬']],
      ['🐕', ['🐕 Rex']],
      ['a+', ['a+b']],
      ['a ', ['a b']],
      ['max', ['Max\u{10ffff}']],
      ['max\u{10ffff}', ['Max\u{10ffff}']],
      ['LONG'.repeat(50), ['long'.repeat(50)]],
      ['.*', []],
      ['zzz', []],
    ])('%s', async (prefix, expected) => {
      expect(await names(`categoryId=${mine}&name=${encodeURIComponent(prefix)}`)).toEqual(expected);
    });

    test('a plus sign in the query string is a space, as in forms', async () => {
      expect(await names(`categoryId=${mine}&name=a+b`)).toEqual(['a b']);
    });

    test('together with a sort, and with the other filters', async () => {
      expect(await names(`categoryId=${mine}&name=re&sort=-name`)).toEqual(['REXY', 'Rex']);
      expect(await names(`categoryId=${mine}&name=re&status=sold`)).toEqual([]);
    });
  });
});
