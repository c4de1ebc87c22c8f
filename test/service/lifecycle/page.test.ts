import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const ANNOTATED = [
  ...['Query.pet', 'Mutation.updatePet', 'Mutation.updateOrder', 'Mutation.replaceStock', 'Mutation.stopTracking'],
  'Mutation.updateCategory',
  'Query.events',
  'Subscription.events',
  'Query.lifecycle',
  ...['Query.webhook', 'Query.webhooks', 'Query.deliveries', 'Mutation.createWebhook', 'Mutation.updateWebhook'],
  ...['Mutation.deleteWebhook', 'Mutation.rotateWebhookSecret', 'Mutation.redeliverEvents'],
];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ BASE_PATH: '/api/v1' }, { clock: () => new Date('2026-11-21T12:00:00Z') });
});
afterAll(() => app.dispose());

async function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const response = await app.fetch(new Request(`http://pets.example/api/v1${path}`, { method, headers }));
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

describe('/lifecycle', () => {
  test('is a page for a browser, with every annotation of the service', async () => {
    const { status, type, text } = await get('/lifecycle', HTML);
    expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
    for (const coordinate of ANNOTATED) expect(text).toContain(` id="${coordinate}">`);
    expect(text.match(/ id="[A-Z]/g)).toHaveLength(ANNOTATED.length);
    expect(text).toContain('405 days left');
    expect(text).toContain("'http://pets.example/api/v1/lifecycle'");
  });

  test('is JSON for other clients, with the same annotations', async () => {
    const { type, text } = await get('/lifecycle');
    expect(type).toBe('application/json');
    expect((JSON.parse(text) as { coordinate: string }[]).map(({ coordinate }) => coordinate).sort()).toEqual(
      [...ANNOTATED].sort(),
    );
  });
});

describe('/lifecycle.ics', () => {
  test('is a calendar with the sunset of GET /pets/{petId} and absolute URLs', async () => {
    const { status, type, text } = await get('/lifecycle.ics');
    expect([status, type]).toEqual([200, 'text/calendar; charset=utf-8']);
    const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
    expect(events.map((event) => event.getFirstPropertyValue('summary'))).toEqual(['Sunset: GET /pets/{petId}']);
    expect(String(events[0]?.getFirstPropertyValue('dtstart'))).toBe('2027-12-31');
    expect(events[0]?.getFirstPropertyValue('url')).toBe('http://pets.example/api/v1/lifecycle#Query.pet');
  });

  test('needs no statement', async () => {
    app.statements.length = 0;
    await get('/lifecycle.ics');
    expect(app.statements).toEqual([]);
  });

  test('allows only GET and HEAD', async () => {
    expect(await get('/lifecycle.ics', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect(await get('/lifecycle.ics', {}, 'POST')).toMatchObject({ status: 405 });
  });
});
