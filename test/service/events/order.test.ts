import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inventoryStore } from '../../../src/petstore/inventory/store.ts';
import { orderStore } from '../../../src/petstore/orders/store.ts';
import { petStore } from '../../../src/petstore/pets/store.ts';
import { hasCommonTests, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { assertInOrder, type Received, type Versions } from './received.ts';
import { Connection, storesOn } from './writers.ts';

const WRITERS = 3;
const PUBLISHERS = 2;
const PETS = 3;

/** What a step does, of which connection, and to which pet. A connection that waits for a lock lets its step pass. */
const step = fc.record({
  actor: fc.constantFrom('writer', 'writer', 'writer', 'publisher', 'reader'),
  which: fc.nat(),
  pet: fc.nat(PETS - 1),
  what: fc.constantFrom('rename', 'place', 'placeMany', 'cancel', 'count', 'end', 'end', 'rollback', 'kill'),
});
const FINISHED = 'select finished from feed';
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A way to read the changes: the feed, or one of the designs that lose events. */
interface Reader {
  /** The events after the last ones that it has read. */
  read(): Promise<readonly Received[]>;
}

let opened: TestDatabase;
let url: string;

beforeAll(async () => {
  opened = await openTestDatabase();
  url = opened.location.url as string;
});
afterAll(() => opened.dispose());

test('orders, movements and changes of pets are published in their order, however many are published at once', async () => {
  const { database } = opened;
  const [pets, orders, inventory] = [petStore(database), orderStore(database), inventoryStore(database)];
  const query: Connection['query'] = (text, parameters) => database.transaction((run) => run(text, parameters));
  const [[categoryId] = []] = await query("insert into categories (name) values ('Dogs') returning id", []);
  const { id } = await pets.create({ name: 'Rex', categoryId: Number(categoryId), status: 'available' });
  await inventory.replaceStock({ petId: id, quantity: 3 });
  const order = { petId: id, quantity: 1, shipDate: null, complete: false };
  const first = await orders.place(order);
  await orders.place(order);
  await orders.place(order);
  await orders.cancel(first.id, undefined);
  for (const most of [1, 2, 3, 100]) await query('select publish_changes($1)', [most]);
  const rows = await query(
    'select position, time::text, type, subject, data::text from events where subject = any($1) order by position',
    [`{pets/${id},inventory/${id}${[0, 1, 2].map((n) => `,orders/${Number(first.id) + n}`).join('')}}`],
  );
  const received = rows.map(toReceived);
  assertInOrder(received, new Map(), new Map([[`pets/${id}`, 3]]));
  expect(received.map(({ type }) => type)).toEqual([
    'pet.created',
    'inventory.counted',
    ...['order.placed', 'inventory.changed', 'order.placed', 'inventory.changed', 'order.placed', 'inventory.changed'],
    'pet.updated',
    ...['order.cancelled', 'inventory.changed', 'pet.updated'],
  ]);
});

// The embedded database has one connection, so there nothing happens at the same time.
if (hasCommonTests) {
  describe('the order of events, with transactions that end in any order', () => {
    test('each change is published exactly once, each row in the order of its versions, causes before effects', async () => {
      const finishedOf = async () => Number((await opened.database.transaction((run) => run(FINISHED, [])))[0]?.[0]);
      const before = await finishedOf();
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 30, maxLength: 60 }),
          fc.integer({ min: 1, max: 12 }),
          fc.boolean(),
          (steps, most, hasBystander) => play(steps, most, feedReader, hasBystander),
        ),
        { numRuns: 40, endOnFailure: true },
      );
      // Otherwise the outbox would always be read from its beginning.
      expect(await finishedOf()).toBeGreaterThan(before + 40);
    });

    test('a reader of the outbox that remembers the last change it has seen loses others', () =>
      expectToLoseEvents(outboxReader));

    test('a reader that stays behind the oldest transaction waits as long as any transaction is open', () =>
      expectToLoseEvents(horizonReader));

    /** The design is found wrong: otherwise this test could not find anything. */
    async function expectToLoseEvents(makeReader: typeof feedReader): Promise<void> {
      const { failed, errorInstance } = await fc.check(
        fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 60 }), (steps) => play(steps, 5, makeReader)),
        { numRuns: 50, endOnFailure: true },
      );
      expect(failed).toBe(true);
      expect(errorInstance).toHaveProperty('name', 'AssertionError');
    }
  });
}

/** Takes the steps, lets all transactions end, and asserts what a reader must have got. */
async function play(
  steps: readonly Step[],
  most: number,
  makeReader: (watching: Connection, publishAll: () => Promise<void>) => Promise<Reader>,
  hasBystander = true,
): Promise<void> {
  const connections = Array.from({ length: WRITERS + PUBLISHERS + 2 }, () => new Connection(url));
  const [watching, bystander, ...others] = connections as [Connection, Connection, ...Connection[]];
  const writers = others.slice(0, WRITERS).map((connection) => ({ connection, ...storesOn(connection) }));
  const publishers = others.slice(WRITERS);
  const publish = async (publisher: Connection) => {
    const [[moved] = []] = await publisher.query('select moved from publish_changes($1)', [most]);
    return Number(moved);
  };
  const publishAll = async () => {
    while ((await publish(watching)) > 0);
  };
  try {
    const { pets, inventory } = storesOn(watching);
    const ids: number[] = [];
    for (let n = 0; n < PETS; n++) {
      const { id } = await pets.create({ name: 'Rex', categoryId: await category(watching), status: 'available' });
      await inventory.replaceStock({ petId: id, quantity: 5 });
      ids.push(Number(id));
    }
    await publishAll();
    const before = await versionsOf(watching, ids);
    // A transaction elsewhere that has changed something, and stays open.
    if (hasBystander) {
      await bystander.begin();
      await bystander.query("insert into categories (name) values ('Bystander')", []);
    }
    const reader = await makeReader(watching, publishAll);
    const received: Received[] = [];
    for (const { actor, which, pet, what } of steps) {
      if (actor === 'reader') received.push(...(await reader.read()));
      else if (actor === 'publisher') {
        const publisher = publishers[which % PUBLISHERS] as Connection;
        if (publisher.waiting !== undefined) continue;
        if (!publisher.inTransaction) await publisher.start(() => publisher.begin().then(() => publish(publisher)));
        else await (what === 'kill' ? publisher.kill() : publisher.end('commit'));
      } else {
        const writer = writers[which % WRITERS] as (typeof writers)[number];
        if (writer.connection.waiting === undefined) await write(writer, what, ids[pet] as number, ids);
      }
    }
    await commitAll(others);
    received.push(...(await reader.read()));
    assertInOrder(received, before, await versionsOf(watching, ids));
  } finally {
    await commitAll(others);
    await Promise.all(connections.map((connection) => connection.close()));
  }
}

/** Commits all transactions: one that waits for a lock gets it when another is committed. */
async function commitAll(connections: readonly Connection[]): Promise<void> {
  for (;;) {
    const free = connections.filter(({ inTransaction, waiting }) => inTransaction && waiting === undefined);
    for (const connection of free) await connection.end('commit');
    const waiting = connections.flatMap(({ waiting }) => waiting ?? []);
    if (free.length > 0) continue;
    if (waiting.length === 0) return;
    await Promise.race(waiting);
  }
}

async function write(
  { connection, pets, orders }: { connection: Connection } & ReturnType<typeof storesOn>,
  what: Step['what'],
  pet: number,
  ids: readonly number[],
): Promise<void> {
  const order = { shipDate: null, quantity: 1, complete: false };
  const works: Partial<Record<Step['what'], () => Promise<unknown>>> = {
    rename: () => pets.update(pet, { name: `Rex ${Math.random()}` }, undefined),
    place: () => orders.place({ petId: pet, ...order }),
    // Sent as one statement.
    placeMany: () => Promise.allSettled(ids.map((petId) => orders.place({ petId, ...order }))),
    cancel: async () => {
      const [[id] = []] = await connection.query('select id from orders where pet_id = $1 and not complete limit 1', [
        pet,
      ]);
      if (id !== undefined) await orders.cancel(Number(id), undefined);
    },
  };
  const work = works[what];
  if (work !== undefined) {
    await connection.start(async () => {
      if (!connection.inTransaction) await connection.begin();
      await work();
    });
  } else if (connection.inTransaction) {
    if (what === 'kill') await connection.kill();
    else await connection.end(what === 'rollback' ? 'rollback' : 'commit');
  }
}

async function category(connection: Connection): Promise<number> {
  const [[id] = []] = await connection.query("insert into categories (name) values ('Dogs') returning id", []);
  return Number(id);
}

async function versionsOf(connection: Connection, ids: readonly number[]): Promise<Versions> {
  const list = `{${ids.join()}}`;
  const rows = await connection.query(
    `select 'pets/' || id, version from pets where id = any($1)
      union all select 'orders/' || id, version from orders where pet_id = any($1)
      union all select 'inventory/' || pet_id, version from inventory where pet_id = any($1)`,
    [list],
  );
  return new Map(rows.map(([subject, version]) => [String(subject), Number(version)]));
}

async function feedReader(watching: Connection, publishAll: () => Promise<void>): Promise<Reader> {
  let [[last] = []] = await watching.query('select last from feed', []);
  return {
    async read() {
      await publishAll();
      const rows = await watching.query(
        'select position, time::text, type, subject, data::text from events where position > $1 order by position',
        [String(last)],
      );
      const received = rows.map(toReceived);
      last = received.at(-1)?.position ?? last;
      return received;
    },
  };
}

/** The changes of the outbox; those of one row have one position. */
const CHANGES = `select seq, time::text, unnest(coalesce(types, array[type])), unnest(coalesce(subjects, array[subject])),
    unnest(coalesce(images, array[data]))::text
  from outbox`;

/** Positions are drawn at the time of the change. */
async function outboxReader(watching: Connection): Promise<Reader> {
  let [[last] = []] = await watching.query('select coalesce(max(seq), 0) from outbox', []);
  return {
    async read() {
      const rows = await watching.query(`${CHANGES} where seq > $1 order by seq`, [String(last)]);
      const received = rows.map(toReceived);
      last = received.at(-1)?.position ?? last;
      return received;
    },
  };
}

/** Only changes of transactions that are older than all that are in progress. */
async function horizonReader(watching: Connection): Promise<Reader> {
  const [[from] = []] = await watching.query('select coalesce(max(seq), 0) from outbox', []);
  const seen = new Set<number>();
  return {
    async read() {
      const rows = await watching.query(
        `${CHANGES} where seq > $1 and xmin::text::bigint < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
          order by xmin::text::bigint, seq`,
        [String(from)],
      );
      const received = rows.map(toReceived).filter(({ position }) => !seen.has(position));
      for (const { position } of received) seen.add(position);
      return received;
    },
  };
}

function toReceived([position, time, type, subject, data]: readonly unknown[]): Received {
  return {
    position: Number(position),
    time: String(time),
    type: String(type),
    subject: String(subject),
    data: JSON.parse(String(data)),
  };
}
