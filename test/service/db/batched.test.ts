import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { watched } from '../../support/watched.ts';
import { ask, range } from '../graphql/ask.ts';

const PETS = 2_400;
/** The maximum of concurrent statements of one kind; slow ones count for a tenth of a second only. */
const MAX_IN_FLIGHT = 2;
const SLOW = 90;
const MAX_BATCH_SIZE = 1_000;

let app: TestApp;
/** The ids in each statement. */
let asked: number[][] = [];
const inFlight = new Set<object>();
let mostInFlight = 0;

beforeAll(async () => {
  // On a rehearsed day no use is counted, so no statement that stores uses is among the measured ones.
  app = await startTestApp({ MAX_REQUESTS: 100_000 }, { isRehearsal: true }, (database) =>
    watched(database, (sent, run) => {
      asked.push(String(sent.parameters[0]).slice(1, -1).split(',').map(Number));
      mostInFlight = Math.max(mostInFlight, inFlight.add(sent).size);
      const slow = setTimeout(() => inFlight.delete(sent), SLOW);
      return run().finally(() => {
        clearTimeout(slow);
        inFlight.delete(sent);
      });
    }),
  );
  await seed(app.database, PETS, () => {});
});
afterAll(() => app?.dispose());
beforeEach(() => {
  [asked, mostInFlight] = [[], 0];
});

async function petOf(id: number): Promise<number> {
  const response = await app.fetch(new Request(`http://pets.example/pets/${id}`));
  return ((await response.json()) as { id: number }).id;
}

describe('pets that concurrent requests read', () => {
  test('are read by few statements, bounded in number and size, and each request gets its own pet', async () => {
    const ids = range(1, PETS);
    expect(await Promise.all(ids.map(petOf))).toEqual(ids);
    expect(asked.flat().sort((one, other) => one - other)).toEqual(ids);
    expect(asked.length).toBeLessThan(10);
    expect(mostInFlight).toBeLessThanOrEqual(MAX_IN_FLIGHT);
    expect(Math.max(...asked.map((keys) => keys.length))).toBeLessThanOrEqual(MAX_BATCH_SIZE);
  });

  test('are read once, however many requests read the same pet', async () => {
    const ids = range(1, 500).map((n) => 1 + (n % 5));
    expect(await Promise.all(ids.map(petOf))).toEqual(ids);
    expect(asked.flat().length).toBeLessThan(50);
  });

  test('are batched across REST and GraphQL', async () => {
    const byGraphQL = range(101, 200).map(async (id) => (await ask(app, `{ pet(petId: ${id}) { id } }`)).pet.id);
    const byRest = range(201, 300).map(petOf);
    expect(await Promise.all([...byGraphQL, ...byRest])).toEqual(range(101, 300));
    expect(asked.some((keys) => keys.some((id) => id <= 200) && keys.some((id) => id > 200))).toBe(true);
    expect(asked.length).toBeLessThan(10);
  });
});
