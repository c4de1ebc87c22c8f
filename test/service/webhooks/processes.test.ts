import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { copyTestDatabase, type DatabaseCopy, databaseKind, hasCommonTests } from '../../support/database.ts';
import { runToEnd, type Service, settingsFor, startService } from '../../support/service.ts';
import { OK, type Receiver, startReceiver, until } from './receiver.ts';

let database: DatabaseCopy;
let environment: Readonly<Record<string, string>>;
let receiver: Receiver;
let services: Service[] = [];

beforeAll(async () => {
  database = await copyTestDatabase();
  environment = { ...settingsFor(database.location), LOG_LEVEL: 'info' };
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const service of services) await service.stop();
  services = [];
});
afterAll(async () => {
  await receiver?.close();
  await database?.dispose();
});

/** The line in which a command says which database it uses. */
function usedDatabase(): string {
  const { DATABASE_URL, DATA_DIR } = environment;
  if (DATABASE_URL === undefined) return `Database: embedded, in ${DATA_DIR}\n`;
  const { host, pathname } = new URL(DATABASE_URL);
  return `Database: ${host}${pathname}\n`;
}

async function start(): Promise<Service> {
  const service = await startService(environment);
  services.push(service);
  return service;
}

async function send({ base }: Service, method: string, path: string, body: object = {}) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  expect([response.status < 300, text]).toEqual([true, text]);
  return text === '' ? undefined : JSON.parse(text);
}

async function deliveries(service: Service, id: number, status: string) {
  const response = await fetch(`${service.base}/webhooks/${id}/deliveries?status=${status}&limit=100`);
  return response.json();
}

describe('npm run events', () => {
  test('redeliver sends the events after one again, when the service runs', async () => {
    receiver.answer = () => OK;
    const first = await start();
    const { id } = await send(first, 'POST', '/webhooks', {
      url: `${receiver.url}/again`,
      types: ['category.created'],
    });
    for (const name of ['Dogs', 'Cats']) await send(first, 'POST', '/categories', { name });
    await until(async () => (await deliveries(first, id, 'delivered')).length === 2, 'delivered');
    await first.stop();
    const [{ event, headers }, next] = receiver.received as [
      (typeof receiver.received)[0],
      (typeof receiver.received)[0],
    ];
    expect(await runToEnd('commands/events', ['redeliver', `${id}`, '--after', event.id], environment)).toEqual({
      code: 0,
      output: `The events after ${event.id} are delivered to ${receiver.url}/again again.\n`,
      errors: usedDatabase(),
    });
    const second = await start();
    await until(() => receiver.received.length === 3, 'received again');
    expect(receiver.received[2]?.headers['webhook-id']).toBe(next.headers['webhook-id']);
    expect(next.headers['webhook-id']).not.toBe(headers['webhook-id']);
    await send(second, 'DELETE', `/webhooks/${id}`);
  });

  if (hasCommonTests) {
    test('redeliver says when nothing is sent before the webhook is enabled', async () => {
      const service = await start();
      const { id } = await send(service, 'POST', '/webhooks', { url: `${receiver.url}/off`, enabled: false });
      await service.stop();
      expect(await runToEnd('commands/events', ['redeliver', `${id}`, '--after', '1.0'], environment)).toMatchObject({
        code: 0,
        output: `The events after 1.0 are delivered to ${receiver.url}/off again once it is enabled.\n`,
      });
    });

    test('redeliver says until when the receiver has asked for a pause', async () => {
      receiver.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
      const service = await start();
      const { id } = await send(service, 'POST', '/webhooks', {
        url: `${receiver.url}/busy`,
        types: ['category.created'],
      });
      await send(service, 'POST', '/categories', { name: 'Birds' });
      const pausedUntil = async () => (await (await fetch(`${service.base}/webhooks/${id}`)).json()).pausedUntil;
      await until(async () => (await pausedUntil()) !== undefined, 'paused');
      const instant = await pausedUntil();
      await service.stop();
      expect(await runToEnd('commands/events', ['redeliver', `${id}`, '--after', '1.0'], environment)).toMatchObject({
        code: 0,
        output: `The events after 1.0 are delivered to ${receiver.url}/busy again, from ${instant}.\n`,
      });
    });

    test.each([
      [['redeliver', '1', '--after', '1.0'], 'No webhook has the id 1.'],
      [['redeliver', 'x', '--after', '1.0'], 'x is not the id of a webhook.'],
      [
        ['redeliver', '1', '--after', '1.0', '--type', 'pet.created'],
        /^redeliver takes no --type\.\nnpm run events -- tail/,
      ],
      [['epoch', '--after', '1.0'], /^epoch takes no --after\.\nnpm run events -- tail/],
      [['tail', '--type', 'pet.sold'], /^pet\.sold is not an event type; the types are order\.placed, /],
      [
        ['tail', '--subject', 'pet/1'],
        /^--subject must be a list \(orders, .*\), a slash and an id, such as orders\/1\.$/m,
      ],
    ])('%j ends with 1 and says why', async (args, message) => {
      const { code, errors } = await runToEnd('commands/events', args, environment);
      expect(code).toBe(1);
      if (typeof message === 'string') expect(errors.replace(usedDatabase(), '')).toBe(`${message}\n`);
      else expect(errors).toMatch(message);
    });

    test('tail says when EVENTS is off, for nothing would come, and names a misspelt setting', async () => {
      const settings = { ...environment, EVENTS: 'off', DATA_DIRS: 'x' };
      const { code, errors } = await runToEnd('commands/events', ['tail'], settings);
      const misspelt = 'DATA_DIRS is not a setting; did you mean DATA_DIR?\n';
      expect([code, errors]).toEqual([1, `${misspelt}${usedDatabase()}This service records no events.\n`]);
    });

    test('tail prints the events that it is asked for, and ends quietly when what reads it has ended', async () => {
      const service = await start();
      const { id } = await send(service, 'POST', '/categories', { name: 'Newts' });
      const subject = `categories/${id}`;
      const command = ['tail', '--after', '1.0', '--type', 'category.updated', '--subject', subject];
      const reading = spawn(process.execPath, ['dist/commands/events.js', ...command], { env: environment });
      const closed = once(reading, 'close');
      let errors = '';
      reading.stderr.on('data', (chunk) => {
        errors += chunk;
      });
      const lines = createInterface(reading.stdout)[Symbol.asyncIterator]();
      for (const name of ['Toads', 'Frogs']) {
        await send(service, 'POST', '/categories', { name });
        await send(service, 'PATCH', `/categories/${id}`, { name });
        const { value } = await lines.next();
        expect(JSON.parse(value)).toMatchObject({ type: 'category.updated', subject, data: { name } });
        expect(value).not.toContain('__typename');
      }
      reading.stdout.destroy();
      await send(service, 'PATCH', `/categories/${id}`, { name: 'Olms' });
      const [code] = await closed;
      expect([code, errors]).toEqual([0, usedDatabase()]);
    });

    test('epoch makes the places of readers invalid', async () => {
      expect(await runToEnd('commands/events', ['epoch'], environment)).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^The epoch is \d+ now\. /),
      });
      const { base } = await start();
      expect((await fetch(`${base}/events?after=1.1`)).status).toBe(410);
    });
  }
});

/** The embedded database belongs to one process. */
if (databaseKind === 'server')
  describe('two processes, one of which is killed,', () => {
    test('deliver each event in the order of its row, and one at a time', async () => {
      const [one, other] = [await start(), await start()];
      const ids: number[] = [];
      for (const path of ['a', 'b', 'c', 'd']) {
        const body = { url: `${receiver.url}/${path}`, types: ['category.created', 'category.updated'] };
        ids.push((await send(one, 'POST', '/webhooks', body)).id);
      }
      const running = new Map<string, number>();
      let most = 0;
      receiver.received.length = 0;
      let requests = 0;
      receiver.answer = async ({ path, event }) => {
        const key = `${path} ${event.subject}`;
        const isKilled = hasKilled;
        if (!isKilled) {
          running.set(key, (running.get(key) ?? 0) + 1);
          most = Math.max(most, running.get(key) as number);
        }
        await new Promise((resolve) => setTimeout(resolve, 5 + (requests++ % 4) * 10));
        running.set(key, (running.get(key) ?? 0) - 1);
        return OK;
      };
      let hasKilled = false;
      const subjects = await Promise.all(
        ['one', 'two', 'three'].map(async (name) => (await send(one, 'POST', '/categories', { name })).id),
      );
      for (let round = 0; round < 10; round++) {
        if (round === 5) {
          await until(() => receiver.received.length > 20, 'some received');
          hasKilled = true;
          await one.stop('SIGKILL');
        }
        const writer = round < 5 && round % 2 === 0 ? one : other;
        await Promise.all(subjects.map((id) => send(writer, 'PATCH', `/categories/${id}`, { name: `round ${round}` })));
      }
      for (const id of ids) {
        await until(async () => (await deliveries(other, id, 'delivered')).length === 33, `all of ${id} delivered`);
      }
      expect(most).toBe(1);
      for (const path of ['/a', '/b', '/c', '/d']) {
        for (const id of subjects) {
          const names = receiver.received
            .filter((one) => one.path === path && one.event.subject === `categories/${id}`)
            .map(({ event }) => event.data.name as string);
          // What was in progress when the process was killed comes again.
          const once = names.filter((name, n) => name !== names[n - 1]);
          expect(once.slice(1)).toEqual(Array.from({ length: 10 }, (_, round) => `round ${round}`));
        }
      }
    });
  });
