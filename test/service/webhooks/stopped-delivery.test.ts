import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import { app, deliveries, HOUR, newCategory, newWebhook, now, receiver, serveWebhooks } from './delivering.ts';
import { OK, until } from './receiver.ts';

serveWebhooks();

test('nothing is sent while events are off, even if it was due before', async () => {
  const on = await startTestApp();
  onTestFinished(on.dispose);
  await on.begin();
  receiver.answer = () => ({ status: 500 });
  await on.rest('POST', '/webhooks', { body: { url: receiver.url, types: ['category.created'] } });
  await on.rest('POST', '/categories', { body: { name: 'Dogs' } });
  await until(() => receiver.received.length === 1, 'received');
  await on.flush();
  const off = await startTestApp(
    { EVENTS: 'off' },
    {},
    () => on.database,
    () => now() + HOUR,
  );
  onTestFinished(off.dispose);
  await off.begin();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(receiver.received).toHaveLength(1);
  await off.flush();
});

test('what is answered after the only webhook was disabled is stored', async () => {
  const { id } = await newWebhook();
  let answer = () => {};
  receiver.answer = () =>
    new Promise((resolve) => {
      answer = () => resolve(OK);
    });
  await newCategory();
  await until(() => receiver.received.length === 1, 'received');
  await app.rest('PATCH', `/webhooks/${id}`, { body: { enabled: false } });
  // Until the service has looked for webhooks again.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  answer();
  await until(async () => (await deliveries(id, '&status=delivered')).length === 1, 'stored');
});

test('a stop waits shortly for answers; what it cuts off does not count, and another process may try at once', async () => {
  const other = await startTestApp();
  try {
    await other.begin();
    let answer = () => {};
    receiver.answer = ({ event }) =>
      new Promise((resolve) => {
        if (event.data.name === 'Cats') answer = () => resolve(OK);
      });
    const { body } = await other.rest('POST', '/webhooks', {
      body: { url: receiver.url, types: ['category.created'] },
    });
    for (const name of ['Dogs', 'Cats']) await other.rest('POST', '/categories', { body: { name } });
    await until(() => receiver.received.length === 2, 'received');
    const stopped = other.flush();
    answer();
    await stopped;
    const owner = 'select owner from webhooks where id = $1';
    expect(await other.database.transaction((query) => query(owner, [body.id]))).toEqual([[null]]);
    expect((await other.rest('GET', `/webhooks/${body.id}/deliveries?sort=id`)).body).toMatchObject([
      { attempts: 0, status: 'pending' },
      { attempts: 1, status: 'delivered' },
    ]);
    const metrics = await (await other.fetch(new Request('http://pets.example/metrics'))).text();
    expect(metrics).toContain('webhook_deliveries_total{outcome="retried"} 0\n');
  } finally {
    await other.dispose();
  }
});

test('a stop starts no further request, however many are due', async () => {
  const other = await startTestApp();
  onTestFinished(other.dispose);
  let stopped: Promise<void> | undefined;
  const stop = (message: unknown) => {
    if ((message as { request: { path: string } }).request.path === '/stopped') stopped ??= other.flush();
  };
  onTestFinished(() => void unsubscribe('http.client.request.start', stop));
  subscribe('http.client.request.start', stop);
  const body = { url: `${receiver.url}/stopped`, types: ['category.created'] };
  for (let n = 0; n < 10; n++) await other.rest('POST', '/webhooks', { body });
  await other.begin();
  await other.database.transaction((query) =>
    query("insert into categories (name) select 'Dogs' from generate_series(1, 10)", []),
  );
  await until(() => stopped !== undefined, 'stopped');
  await stopped;
  // Of the hundred, those that had begun.
  expect(receiver.received.length).toBeLessThan(50);
});
