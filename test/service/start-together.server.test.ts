import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressOf, administer } from '../support/admin.ts';
import { isWhole } from '../support/cases.ts';
import { type Service, startService } from '../support/service.ts';
import { environment, makeDatabase, post } from './processes.ts';

makeDatabase();

const [orders, stock] = isWhole ? [10_000, 3_000] : [400, 120];
describe('a server database of four processes that start at once', () => {
  const services: Service[] = [];
  /** What each has when it has started. */
  let found: unknown[];
  const empty = `migrate_${randomUUID().replaceAll('-', '')}`;
  const administerServer = (statement: string) => administer(environment.DATABASE_URL ?? '', statement);
  beforeAll(async () => {
    await administerServer(`create database ${empty}`);
    const url = addressOf(environment.DATABASE_URL ?? '', empty);
    const starts = Array.from({ length: 4 }, () => startService({ DATABASE_URL: url }));
    for (const start of await Promise.allSettled(starts)) {
      if (start.status === 'fulfilled') services.push(start.value);
    }
    await Promise.all(starts);
    found = await Promise.all(services.map(async ({ base }) => (await fetch(`${base}/pets`)).json()));
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await administerServer(`drop database ${empty} with (force)`);
  });

  test('is migrated by one, and never seeded by itself', () => {
    expect(services.filter((service) => service.output().includes('migrating the database'))).toHaveLength(1);
    expect(found).toEqual([[], [], [], []]);
  });

  test(`is never oversold: ${orders} concurrent orders, ${stock} in stock`, async () => {
    const [{ base }] = services as [Service];
    const category = await (await post(base, '/categories', { name: 'Rush' })).json();
    const pet = await (await post(base, '/pets', { name: 'Wanted', categoryId: category.id })).json();
    await fetch(`${base}/store/inventory/${pet.id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ quantity: stock }),
    });
    const statuses: Record<number, number> = {};
    let left = orders;
    const client = async (service: Service) => {
      while (left-- > 0) {
        const { status, body } = await post(service.base, '/store/orders', { petId: pet.id });
        await body?.cancel();
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, index) => client(services[index % 4] as Service)));
    const item = await (await fetch(`${base}/store/inventory/${pet.id}`)).json();
    const query = `{ orders(petId: [${pet.id}]) { totalCount } }`;
    const { data } = await (await post(base, '/graphql', { query })).json();
    expect(statuses).toEqual({ 201: stock, 409: orders - stock });
    expect(item).toMatchObject({ quantity: 0, status: 'pending' });
    expect(data.orders.totalCount).toBe(stock);
  }, 120_000);
});
