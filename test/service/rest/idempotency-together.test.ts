import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestAnswer, startTestApp, type TestApp } from '../../support/app.ts';
import { databaseKind } from '../../support/database.ts';

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await startTestApp();
  categoryId = (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
});
afterAll(() => app.dispose());

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Sends all requests at once, each with a key. */
function sendAll(requests: readonly (readonly [string, Sent])[]): Promise<readonly RestAnswer[]> {
  return Promise.all(
    requests.map(([key, { method, path, body }]) =>
      app.rest(method, path, { body, headers: { 'idempotency-key': key } }),
    ),
  );
}

const create = (name: string): Sent => ({ method: 'POST', path: '/pets', body: { name, categoryId } });

async function newPet(): Promise<number> {
  const { method, path, body } = create('Rex');
  return (await app.rest(method, path, { body })).body.id;
}

describe('requests with different Idempotency-Keys that are sent at once', () => {
  test('share one transaction, which is not undone by another request with one of the keys', async () => {
    // With one key, so that two transactions open their connections.
    const first = [randomUUID(), create('First')] as const;
    await sendAll([first, first]);
    app.statements.length = 0;
    const keyed = ['A', 'B', 'C', 'D'].map((name) => [randomUUID(), create(name)] as const);
    const [same, ...answers] = await sendAll([...keyed.slice(0, 1), ...keyed]);
    // The request with the same key is rejected, or gets the response if that is stored already.
    const { status, body } = answers[0] as RestAnswer;
    expect([same?.status, status === 409 ? body.code : body]).toEqual([
      201,
      status === 409 ? 'IDEMPOTENCY_CONFLICT' : same?.body,
    ]);
    expect(answers.slice(1).map(({ status }) => status)).toEqual([201, 201, 201]);
    const together = [
      'idempotency.lock',
      // Once for the other request.
      ...['idempotency.find', 'idempotency.find'],
      'idempotency.waitBriefly',
      'pets.insertMany',
      'idempotency.store',
    ];
    expect([...app.statements].sort()).toEqual(together.sort());
  });

  test('each have their own effect and response, once, whatever the others do', async () => {
    const unknown = 999_999_999;
    const one = await newPet();
    const other = await newPet();
    const requests = fc.oneof(
      fc.stringMatching(/^[A-Z"\\,(]{1,5}$/).map(create),
      fc.constantFrom<Sent>(
        { method: 'POST', path: '/pets', body: { name: 'Rex', categoryId: unknown } },
        { method: 'POST', path: '/store/orders', body: { petId: one, quantity: 1 } },
        { method: 'POST', path: '/store/orders', body: { petId: other, quantity: 1 } },
        { method: 'POST', path: '/store/orders', body: { petId: unknown } },
        { method: 'PATCH', path: `/pets/${one}`, body: { status: 'available' } },
        { method: 'PATCH', path: `/pets/${other}`, body: { categoryId: unknown } },
        { method: 'DELETE', path: `/categories/${categoryId}` },
        { method: 'DELETE', path: `/pets/${unknown}` },
      ),
    );
    const expected = ({ method, path, body = {} }: Sent): readonly number[] => {
      if (method === 'DELETE') return path.startsWith('/pets') ? [404] : [409];
      if (JSON.stringify(body).includes(`${unknown}`)) return [422];
      return method === 'POST' ? [201] : [200];
    };
    const check = async (sent: readonly Sent[]) => {
      const keyed = sent.map((request) => [randomUUID(), request] as const);
      const before = await ordersOf(one);
      const first = await sendAll(keyed);
      const again = await sendAll(keyed);
      for (const [place, { status, text, headers }] of first.entries()) {
        expect([sent[place], expected(sent[place] as Sent)]).toEqual([sent[place], [status]]);
        expect([again[place]?.status, again[place]?.text]).toEqual([status, text]);
        expect(headers.get('idempotent-replayed')).toBeNull();
        expect(again[place]?.headers.get('idempotent-replayed')).toBe('true');
      }
      const created = first.filter(({ status }) => status === 201).map(({ body }) => body);
      for (const [place, { status, body }] of first.entries()) {
        if (status === 201 && sent[place]?.path === '/pets') expect(body).toMatchObject(sent[place].body ?? {});
      }
      const ids = created.map((body) => `${'petId' in body ? 'order' : 'pet'} ${body.id}`);
      expect(new Set(ids).size).toBe(ids.length);
      expect((await ordersOf(one)) - before).toBe(created.filter(({ petId }) => petId === one).length);
    };
    await fc.assert(fc.asyncProperty(fc.array(requests, { minLength: 2, maxLength: 40 }), check), { numRuns: 15 });
  });

  if (databaseKind === 'server') {
    test('do not wait for one that waits for a locked row', async () => {
      const locked = await newPet();
      const change: Sent = { method: 'PATCH', path: `/pets/${locked}`, body: { name: 'Max' } };
      let waiting: Promise<readonly RestAnswer[]> | undefined;
      await app.database.transaction(async (query) => {
        await query('select from pets where id = $1 for update', [`${locked}`]);
        const all = [create('A'), change, create('B')].map((sent) => sendAll([[randomUUID(), sent]]));
        waiting = all[1];
        const others = [await all[0], await all[2]].flat();
        expect(others.map((answer) => answer?.status)).toEqual([201, 201]);
      });
      expect((await waiting)?.[0]?.status).toBe(200);
    });

    test('do not fail with one whose statement is slow', async () => {
      const slow = await newPet();
      await app.database.transaction(async (query) => {
        const body = "begin if new.name = 'Slow' then perform pg_sleep(3); end if; return new; end";
        await query(`create function slow_down() returns trigger language plpgsql as $$ ${body} $$`, []);
        await query('create trigger slow before update on pets for each row execute function slow_down()', []);
      });
      // Opens the connections of further transactions.
      const changes = `{ a: updatePet(petId: ${slow}, changes: {}) { id } b: updatePet(petId: ${slow}, changes: {}) { id } }`;
      await Promise.all([changesSeveral(changes), changesSeveral(changes), sendAll([[randomUUID(), create('Z')]])]);
      const change: Sent = { method: 'PATCH', path: `/pets/${slow}`, body: { name: 'Slow' } };
      const all = [change, ...['A', 'B', 'C'].map(create)].map((sent) => [randomUUID(), sent] as const);
      expect((await sendAll(all)).map(({ status }) => status)).toEqual([504, 201, 201, 201]);
    });
  }
});

test('requests that are sent at once with a key whose response is stored all get it', async () => {
  const key = randomUUID();
  const [first] = await sendAll([[key, create('A')]]);
  const again = await sendAll([...Array(5)].map(() => [key, create('A')]));
  expect(again.map(({ status, text }) => [status, text])).toEqual(again.map(() => [201, first?.text]));
  const others = await sendAll(['A', 'B'].map((name) => [key, create(name)]));
  expect(others.map(({ status, body }) => [status, body.code])).toEqual([
    [201, undefined],
    [422, 'IDEMPOTENCY_KEY_REUSED'],
  ]);
});

if (databaseKind === 'server') {
  test('a request whose key another process has locked gets the stored response, or 409 if there is none yet', async () => {
    const [key, other] = [randomUUID(), randomUUID()];
    const [first] = await sendAll([[key, create('A')]]);
    await app.database.transaction(async (query) => {
      const digest = `substr(sha256(format('["%s","%s"]', caller, locked)::bytea), 1, 8)`;
      await query(
        `select pg_advisory_xact_lock(('x' || encode(${digest}, 'hex'))::bit(64)::bigint)
          from idempotency_keys, unnest($2::text[]) as locked where key = $1`,
        [key, `{${key},${other}}`],
      );
      const [again] = await sendAll([[key, create('A')]]);
      expect([again?.status, again?.text]).toEqual([201, first?.text]);
      const [fresh] = await sendAll([[other, create('A')]]);
      expect([fresh?.status, fresh?.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    });
  });
}

async function changesSeveral(selection: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const body = JSON.stringify({ query: `mutation ${selection}` });
  const { status } = await app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
  expect(status).toBe(200);
}

async function ordersOf(petId: number): Promise<number> {
  return Number(
    (await app.rest('GET', `/store/orders?petId=${petId}&limit=1`, { headers: { prefer: 'count=exact' } })).headers.get(
      'total-count',
    ),
  );
}
