import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { ask } from './ask.ts';
import { answers, type Question, TIMES } from './repeat.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, 60, () => {});
});
afterAll(() => app?.dispose());

describe('a change does the same, however often its document is sent', () => {
  const ORDER = '{ quantity shipDate complete pet { id } }';
  const shipDate = '2026-11-21T09:30:00.000Z';

  test.each<Question>([
    ['defaults of fields', `mutation { placeOrder(order: {}) ${ORDER} }`],
    [
      'a date-time as a literal',
      `mutation { placeOrder(order: { shipDate: "2026-11-21T10:30:00.000+01:00" }) ${ORDER} }`,
    ],
    [
      'a date-time in a variable',
      `mutation ($at: DateTime) { placeOrder(order: { shipDate: $at }) ${ORDER} }`,
      { at: shipDate },
    ],
    [
      'a date-time as a default',
      `mutation ($at: DateTime = "${shipDate}") { placeOrder(order: { shipDate: $at }) ${ORDER} }`,
    ],
    [
      'an absent variable in a literal: the field has its default',
      `mutation ($quantity: Int) { placeOrder(order: { quantity: $quantity }) ${ORDER} }`,
      {},
    ],
    [
      'a variable with a default in a literal',
      `mutation ($quantity: Int = 4) { placeOrder(order: { quantity: $quantity }) ${ORDER} }`,
    ],
    [
      'a whole input as the default of a required variable',
      `mutation ($order: NewOrder! = { quantity: 2 }) { placeOrder(order: $order) ${ORDER} }`,
    ],
    ['enums', 'mutation ($status: PetStatus = sold) { updatePet(petId: 1, changes: { status: $status }) { status } }'],
  ])('%s', async (_, query, variables) => {
    const [first, ...later] = await answers(app, query, variables);
    expect(first).not.toContain('"errors"');
    for (const answer of later) expect(answer).toBe(first);
  });

  test('an absent variable in a literal leaves the field unchanged', async () => {
    const { placeOrder } = await ask(app, `mutation { placeOrder(order: { shipDate: "${shipDate}" }) { id } }`);
    const query = `mutation ($id: Int64!, $at: DateTime, $complete: Boolean) {
      updateOrder(orderId: $id, changes: { shipDate: $at, complete: $complete }) { shipDate complete }
    }`;
    for (let time = 0; time < TIMES; time++) {
      expect((await ask(app, query, { id: placeOrder.id })).updateOrder).toEqual({ shipDate, complete: false });
    }
    expect((await ask(app, query, { id: placeOrder.id, at: null })).updateOrder.shipDate).toBeNull();
  });

  test('the changes of one document are made one after another', async () => {
    const query =
      'mutation { a: createCategory(category: { name: "In turn" }) { id } b: createCategory(category: { name: "In turn" }) { id } }';
    for (let time = 0; time < TIMES; time++) {
      const { a, b } = await ask(app, query);
      expect(b.id).toBe(a.id + 1);
    }
  });

  test('a change is never made by GET, even if POST has prepared it', async () => {
    const query = 'mutation { createCategory(category: { name: "By GET" }) { id } }';
    for (let time = 0; time < TIMES; time++) {
      await ask(app, query);
      const got = await app.fetch(new Request(`http://pets.example/graphql?query=${encodeURIComponent(query)}`));
      expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect((await ask(app, '{ categories(name: "By GET") { totalCount } }')).categories.totalCount).toBe(TIMES);
  });

  test('a failed change stops those after it', async () => {
    const query = 'mutation { deletePet(petId: 404) { id } createCategory(category: { name: "Never" }) { id } }';
    for (let time = 0; time < TIMES; time++) await app.graphql(query);
    expect((await ask(app, '{ categories(name: "Never") { totalCount } }')).categories.totalCount).toBe(0);
  });
});
