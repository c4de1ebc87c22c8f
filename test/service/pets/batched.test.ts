import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { databaseKind } from '../../support/database.ts';

const UNKNOWN = 999_999_999_999n;
const GREATEST = 9_223_372_036_854_775_807n;

let app: TestApp;
let categories: number[];

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.dispose());
beforeEach(async () => {
  const made = ['Dogs', 'Cats'].map((name) => app.rest('POST', '/categories', { body: { name } }));
  categories = (await Promise.all(made)).map(({ body }) => body.id);
  app.statements.length = 0;
});

const create = (body: object) => app.rest('POST', '/pets', { body });

/** The version of the pet in a response. */
const versionOf = ({ headers }: Awaited<ReturnType<typeof create>>) =>
  Number(/^"(\d+)-/.exec(headers.get('etag') ?? '')?.[1]);

/** The header fields of a request that expects this version of a pet. */
async function expecting(version: number) {
  const any = await app.rest('GET', `/pets/${(await createMany(1))[0]}`);
  app.statements.length = 0;
  return { 'if-match': `${any.headers.get('etag')}`.replace('1', `${version}`) };
}

async function createMany(count: number): Promise<number[]> {
  const [categoryId] = categories;
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => create({ name: `Pet ${n}`, categoryId })));
  app.statements.length = 0;
  return answers.map(({ body }) => body.id);
}

async function petsOf(categoryId: number): Promise<object[]> {
  const pets: object[] = [];
  for (let next: string | undefined = `/pets?categoryId=${categoryId}&limit=100`; next !== undefined; ) {
    const { body, headers } = await app.rest('GET', next);
    pets.push(...body);
    next = /<http:\/\/pets\.example([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  return pets;
}

describe('concurrently created pets', () => {
  test('are created in one batch, each as it was sent', async () => {
    const [dogs, cats] = categories as [number, number];
    const sent = [
      { name: 'Rex', categoryId: dogs, status: 'sold' },
      { name: 'O\'Malley, "the" {alley} \\ cat\'s', categoryId: cats, status: 'available' },
      { name: 'Zoë 🐕', categoryId: dogs, status: 'pending' },
      { name: 'null', categoryId: cats, status: 'available' },
    ];
    const answers = await Promise.all(sent.map(create));
    expect(app.statements).toEqual(['pets.insertMany']);
    for (const [n, { status, body, headers }] of answers.entries()) {
      expect([status, body]).toEqual([201, { id: expect.any(Number), ...sent[n] }]);
      expect((await app.rest('GET', new URL(headers.get('location') as string).pathname)).body).toEqual(body);
    }
  });

  test('fail separately, each with its own error; each of the others exists once', async () => {
    const [dogs, cats] = categories as [number, number];
    const bodies = Array.from({ length: 300 }, (_, n) => {
      if (n % 7 === 3) return { name: `Pet ${n}`, categoryId: UNKNOWN + BigInt(n) };
      if (n % 50 === 9) return { name: `Pet ${n}`, categoryId: GREATEST };
      if (n % 11 === 5) return { name: '', categoryId: dogs };
      return { name: `Pet ${n}`, categoryId: n % 2 ? dogs : cats };
    });
    const answers = await Promise.all(bodies.map(create));
    const good: object[] = [];
    for (const [n, { status, body }] of answers.entries()) {
      const { name, categoryId } = bodies[n] as (typeof bodies)[number];
      if (typeof categoryId === 'bigint') {
        expect([status, body.code]).toEqual([422, 'UNKNOWN_REFERENCE']);
        expect(body.message).toBe(`categoryId ${categoryId} is not the id of a category.`);
      } else if (name === '') expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
      else {
        expect([status, body]).toEqual([201, { id: expect.any(Number), name, categoryId, status: 'available' }]);
        good.push(body);
      }
    }
    const kept = [...(await petsOf(dogs)), ...(await petsOf(cats))] as { id: number }[];
    expect(kept).toHaveLength(good.length);
    expect(kept).toEqual(expect.arrayContaining(good));
    expect(new Set(kept.map(({ id }) => id)).size).toBe(good.length);
  });

  // The embedded database runs one statement at a time, so no other transaction can hold a lock.
  if (databaseKind === 'server') {
    test.each([
      ['goes', 422],
      ['stays', 201],
    ])(
      'do not wait for one whose category is being deleted; if that transaction %s, its response is %i',
      async (end, status) => {
        const [doomed, other] = categories as [number, number];
        let late: ReturnType<typeof create> | undefined;
        const rollback = new Error('It stays.');
        const deleting = app.database.transaction(async (query) => {
          await query('delete from categories where id = $1', [doomed]);
          late = create({ name: 'Late', categoryId: doomed });
          const others = await Promise.all([1, 2].map((n) => create({ name: `Pet ${n}`, categoryId: other })));
          expect(others.map((answer) => answer.status)).toEqual([201, 201]);
          expect(await petsOf(other)).toHaveLength(2);
          if (end === 'stays') throw rollback;
        });
        await deleting.catch((error: unknown) => expect(error).toBe(rollback));
        expect((await late)?.status).toBe(status);
        expect(await petsOf(doomed)).toHaveLength(status === 201 ? 1 : 0);
      },
    );
  }
});

describe('concurrently changed pets', () => {
  test('are changed in one batch, whether each is replaced or updated', async () => {
    const [dogs, cats] = categories as [number, number];
    const headers = await expecting(1);
    const [renamed, moved, replaced, same] = (await createMany(4)) as [number, number, number, number];
    const answers = await Promise.all([
      app.rest('PATCH', `/pets/${renamed}`, { body: { name: 'O\'Malley, "the" {alley} \\ cat\'s 🐕' } }),
      app.rest('PATCH', `/pets/${moved}`, { body: { categoryId: cats, status: 'sold' } }),
      app.rest('PUT', `/pets/${replaced}`, { body: { name: 'Max', categoryId: cats }, headers }),
      app.rest('PATCH', `/pets/${same}`, { body: { name: 'Pet 3' } }),
    ]);
    expect(app.statements).toEqual(['pets.updateMany']);
    // A response to PUT has no ETag.
    const read = await Promise.all(answers.map(({ body }) => app.rest('GET', `/pets/${body.id}`)));
    expect(read.map(({ body }) => body)).toEqual(answers.map(({ body }) => body));
    expect(read.map((answer) => [answer.body, versionOf(answer)])).toEqual([
      [{ id: renamed, name: 'O\'Malley, "the" {alley} \\ cat\'s 🐕', categoryId: dogs, status: 'available' }, 2],
      [{ id: moved, name: 'Pet 1', categoryId: cats, status: 'sold' }, 2],
      [{ id: replaced, name: 'Max', categoryId: cats, status: 'available' }, 2],
      [{ id: same, name: 'Pet 3', categoryId: dogs, status: 'available' }, 1],
    ]);
  });

  test('fail separately, each with its own error', async () => {
    const headers = await expecting(7);
    const [renamed, other, outdated] = (await createMany(3)) as [number, number, number];
    const answers = await Promise.all([
      app.rest('PATCH', `/pets/${renamed}`, { body: { name: 'Rex' } }),
      app.rest('PATCH', `/pets/${UNKNOWN}`, { body: { name: 'Rex' } }),
      app.rest('PATCH', `/pets/${other}`, { body: { categoryId: UNKNOWN } }),
      app.rest('PATCH', `/pets/${outdated}`, { body: { name: 'Rex' }, headers }),
    ]);
    // The good one is changed by the batch, and the others on their own.
    const changes = app.statements.filter((name) => name.startsWith('pets.update'));
    expect(changes.sort()).toEqual(['pets.update', 'pets.update', 'pets.update', 'pets.updateMany']);
    expect(answers.map(({ status, body }) => [status, body.code ?? body.name, body.message])).toEqual([
      [200, 'Rex', undefined],
      [404, 'NOT_FOUND', `No pet has the id ${UNKNOWN}.`],
      [422, 'UNKNOWN_REFERENCE', `categoryId ${UNKNOWN} is not the id of a category.`],
      [412, 'PRECONDITION_FAILED', expect.stringContaining(`Pet ${outdated} has version 1`)],
    ]);
    expect(versionOf(await app.rest('GET', `/pets/${other}`))).toBe(1);
  });

  test('are changed as often as they are sent, and no change is lost', async () => {
    const [often, once] = (await createMany(2)) as [number, number];
    const names = Array.from({ length: 20 }, (_, n) => `Name ${n}`);
    const answers = await Promise.all([
      ...names.map((name) => app.rest('PATCH', `/pets/${often}`, { body: { name } })),
      app.rest('PATCH', `/pets/${once}`, { body: { name: 'Rex' } }),
    ]);
    expect(answers.map(({ body }) => body.name)).toEqual([...names, 'Rex']);
    expect(new Set(answers.slice(0, -1).map(versionOf))).toEqual(new Set(names.map((_, n) => n + 2)));
  });

  test('of those that expect the same version of a pet, one is changed', async () => {
    const [often, once] = (await createMany(2)) as [number, number];
    const headers = await expecting(1);
    const rename = (id: number, name: string) => app.rest('PATCH', `/pets/${id}`, { body: { name }, headers });
    const answers = await Promise.all([...['A', 'B', 'C'].map((name) => rename(often, name)), rename(once, 'D')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 412, 412]);
  });

  if (databaseKind === 'server') {
    test('do not wait for one that another transaction has locked; it is changed after that, and checked again', async () => {
      const expected = await expecting(1);
      const [locked, late, other] = (await createMany(3)) as [number, number, number];
      let waiting: ReturnType<typeof app.rest>[] = [];
      await app.database.transaction(async (query) => {
        await query("update pets set name = 'First', version = version + 1 where id = any($1)", [
          `{${locked},${late}}`,
        ]);
        const rename = (id: number, headers = {}) =>
          app.rest('PATCH', `/pets/${id}`, { body: { name: 'Rex' }, headers });
        waiting = [rename(locked), rename(late, expected)];
        expect((await rename(other)).body.name).toBe('Rex');
        // Otherwise the batch would have waited, and each would have been changed on its own.
        expect(app.statements).toEqual(['pets.updateMany']);
      });
      const [changed, rejected] = await Promise.all(waiting);
      expect([changed?.status, rejected?.status]).toEqual([200, 412]);
      expect(versionOf(changed as NonNullable<typeof changed>)).toBe(3);
    });
  }
});

describe('concurrently deleted pets', () => {
  test('are deleted in one batch', async () => {
    const ids = await createMany(3);
    const answers = await Promise.all(ids.map((id) => app.rest('DELETE', `/pets/${id}`)));
    expect(app.statements).toEqual(['pets.deleteMany']);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    const read = await Promise.all(ids.map((id) => app.rest('GET', `/pets/${id}`)));
    expect(read.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test('fail separately, each with its own error; a pet that is deleted twice is deleted once', async () => {
    const [twice, ordered, outdated, other] = (await createMany(4)) as [number, number, number, number];
    await app.rest('POST', '/store/orders', { body: { petId: ordered } });
    const remove = (id: number | bigint, headers = {}) => app.rest('DELETE', `/pets/${id}`, { headers });
    const wrong = await expecting(7);
    const removals = [remove(twice), remove(twice), remove(ordered), remove(outdated, wrong), remove(UNKNOWN)];
    const answers = await Promise.all([...removals, remove(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 404, 404, 409, 412]);
    expect(answers[2]?.body.message).toBe(`Pet ${ordered} cannot be deleted while it has orders.`);
    expect((await app.rest('GET', `/pets/${outdated}`)).status).toBe(200);
  });
});
