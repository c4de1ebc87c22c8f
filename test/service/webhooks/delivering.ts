import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { steadyTime } from '../../../src/engine/limits/rate.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export let app: TestApp;
/** A new one for each test. */
export let receiver: Receiver;
/** How far the service's clock is ahead, in milliseconds. */
let ahead = 0;
/** What the service has logged. */
export const logged: unknown[] = [];

/** Serves webhooks for the tests of a file. */
export function serveWebhooks(): void {
  beforeAll(async () => {
    const logger = pino({}, { write: (line) => logged.push(JSON.parse(line)) });
    app = await startTestApp({}, {}, undefined, now, logger);
    await app.begin();
  });
  afterAll(async () => {
    await app.flush();
    await app.dispose();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    for (const { id } of (await app.rest('GET', '/webhooks?limit=100')).body)
      await app.rest('DELETE', `/webhooks/${id}`);
    await receiver.close();
  });
}

/** The time of the service, in milliseconds since the epoch. */
export const now = () => steadyTime() + ahead;

interface Created {
  readonly id: number;
  readonly secret: string;
}

/** A webhook that gets the events of categories. */
export async function newWebhook(types = ['category.created', 'category.updated']): Promise<Created> {
  const { status, body } = await app.rest('POST', '/webhooks', { body: { url: `${receiver.url}/hook`, types } });
  expect(status).toBe(201);
  return body;
}

export async function newCategory(name = 'Dogs'): Promise<string> {
  return `/categories/${(await app.rest('POST', '/categories', { body: { name } })).body.id}`;
}

export async function rename(category: string, name: string): Promise<void> {
  expect((await app.rest('PATCH', category, { body: { name } })).status).toBe(200);
}

/** Moves the clock, and has the service look at it: an event that no webhook gets wakes it. */
export async function pass(milliseconds: number): Promise<void> {
  ahead += milliseconds;
  await app.rest('POST', '/store/orders', { body: {} });
}

export async function deliveries(id: number, query = '') {
  return (await app.rest('GET', `/webhooks/${id}/deliveries?sort=id${query}`)).body;
}

export const namesOf = (received: readonly Received[]) => received.map(({ event }) => event.data.name);
