import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/engine/errors.ts';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { watched } from '../../support/watched.ts';
import { range } from '../graphql/ask.ts';

const SLOW_CATEGORY = 7;
const tooSlow = new ServiceError('TIMEOUT', 'It took too long.');

let app: TestApp;
/** Makes the slow statement fail. */
let giveUp: () => void;
let slow: Promise<never>;

beforeAll(async () => {
  app = await startTestApp({}, {}, (database) =>
    watched(database, ({ parameters }, run) => (parameters.includes(`{${SLOW_CATEGORY}}`) ? slow : run())),
  );
  await seed(app.database, 300, () => {});
});
afterAll(() => app?.dispose());
beforeEach(() => {
  slow = new Promise((_, reject) => {
    giveUp = () => reject(tooSlow);
  });
  slow.catch(() => {});
  app.statements.length = 0;
});

describe('concurrent lists', () => {
  test('with different filters neither wait for a slow one nor fail with it', async () => {
    const waiting = app.rest('GET', `/pets?categoryId=${SLOW_CATEGORY}`);
    const others = [1, 2, 3].map((id) => app.rest('GET', `/pets?categoryId=${id}`));
    const answers = await Promise.race([Promise.all(others), sleep(5_000)]);
    giveUp();
    expect(answers?.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await waiting).status).toBe(504);
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('with the same filters are one statement, up to fifty pages of them', async () => {
    const ids = range(101, 220);
    const cursors = await Promise.all(
      ids.map(async (id) => {
        const { headers } = await app.rest('GET', `/pets?id=${id}&id=${id + 1}&limit=1`);
        return /after=([\w-]+)/.exec(headers.get('link') ?? '')?.[1];
      }),
    );
    app.statements.length = 0;
    const pages = await Promise.all(cursors.map((after) => app.rest('GET', `/pets?limit=2&after=${after}`)));
    expect(pages.map(({ body }) => body.map((pet: { id: number }) => pet.id))).toEqual(
      ids.map((id) => [id + 1, id + 2]),
    );
    expect(app.statements).toEqual(['pets.list', 'pets.list', 'pets.list']);
  });
});
