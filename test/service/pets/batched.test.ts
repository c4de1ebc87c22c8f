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
