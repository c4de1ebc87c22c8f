import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  // Elsewhere, webhooks may lead to this machine.
  app = await startTestApp({ NODE_ENV: 'production' });
});
afterAll(() => app.dispose());

const url = 'https://shop.example/hooks';
const SECRET = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);

async function newWebhook(fields = {}): Promise<{ id: number; path: string }> {
  const { status, body } = await app.rest('POST', '/webhooks', { body: { url, ...fields } });
  expect(status).toBe(201);
  return { id: body.id, path: `/webhooks/${body.id}` };
}

describe('a webhook', () => {
  test('is created with a secret that is shown once, on REST', async () => {
    const body = { url, types: ['order.placed', 'pet.updated'], description: 'Tells the warehouse.' };
    const created = await app.rest('POST', '/webhooks', { body });
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect(created.body).toEqual({ id, ...body, enabled: true, createdAt: expect.any(String), secret: SECRET });
    expect(created.headers.get('location')).toBe(`http://pets.example/webhooks/${id}`);
    const { secret, ...shown } = created.body;
    expect((await app.rest('GET', `/webhooks/${id}`)).body).toEqual(shown);
    expect((await app.rest('GET', '/webhooks')).body).toContainEqual(shown);
  });

  test('is stored with who created it, whichever way that was', async () => {
    const creation = `mutation { createWebhook(webhook: { url: "${url}" }) { id } }`;
    const ids = [
      (await newWebhook()).id,
      (await app.rest('POST', '/webhooks', { body: { url }, headers: { 'idempotency-key': 'creator' } })).body.id,
      (await app.graphql(creation)).data?.createWebhook.id,
    ];
    const text = `select count(*)::integer, count(distinct created_by)::integer from webhooks where id in (${ids})`;
    expect(await app.database.transaction((query) => query(text, []))).toEqual([[3, 1]]);
  });

  test('is created with a secret that is shown once, on GraphQL', async () => {
    const { data, errors } = await app.graphql(
      `mutation ($url: String!) { createWebhook(webhook: {url: $url, types: [order_placed]}) { id types enabled secret } }`,
      { url },
    );
    expect(errors).toBeUndefined();
    const { id } = data.createWebhook;
    expect(data.createWebhook).toEqual({ id, types: ['order_placed'], enabled: true, secret: SECRET });
    const { data: read } = await app.graphql(
      'query ($id: Int64!) { webhook(webhookId: $id) { id url types secret } webhooks(id: [$id]) { totalCount nodes { id secret } } }',
      { id },
    );
    expect(read.webhook).toEqual({ id, url, types: ['order_placed'], secret: null });
    expect(read.webhooks).toEqual({ totalCount: 1, nodes: [{ id, secret: null }] });
  });

  test('gets all types without any, and after they are removed', async () => {
    const { path } = await newWebhook({ types: ['pet.created'] });
    for (const types of [null, []]) {
      expect((await app.rest('PATCH', path, { body: { types } })).body.types).toEqual([]);
      expect((await app.rest('GET', path)).body.types).toEqual([]);
    }
    expect((await app.rest('PATCH', path, { body: { types: ['pet.deleted'] } })).body.types).toEqual(['pet.deleted']);
  });

  test('takes its types as a list on REST, and one alone on GraphQL, too', async () => {
    const { id, path } = await newWebhook({ types: ['pet.created'] });
    const { status, body } = await app.rest('PATCH', path, { body: { types: 'pet.deleted' } });
    expect([status, body.code, body.message]).toEqual([
      422,
      'VALIDATION_FAILED',
      'types must be a list, not "pet.deleted".',
    ]);
    expect((await app.rest('GET', path)).body.types).toEqual(['pet.created']);
    const { data } = await app.graphql(
      'mutation ($id: Int64!, $types: [EventType!]) { updateWebhook(webhookId: $id, changes: { types: $types }) { types } }',
      { id, types: 'pet_deleted' },
    );
    expect(data.updateWebhook.types).toEqual(['pet_deleted']);
  });

  test('has each of its types once, however often it is given', async () => {
    const { id, path } = await newWebhook({
      types: [...Array(4_000).fill('pet.created'), 'pet.deleted', 'pet.created'],
    });
    expect((await app.rest('GET', path)).body.types).toEqual(['pet.created', 'pet.deleted']);
    const { data } = await app.graphql(
      'mutation ($id: Int64!) { updateWebhook(webhookId: $id, changes: { types: [pet_updated, pet_updated] }) { types } }',
      { id },
    );
    expect(data.updateWebhook.types).toEqual(['pet_updated']);
  });

  test('is changed only in the fields that are given, and under a precondition', async () => {
    const { path } = await newWebhook({ description: 'One.' });
    const before = await app.rest('GET', path);
    const changed = await app.rest('PATCH', path, {
      body: { enabled: false },
      headers: { 'if-match': before.headers.get('etag') as string },
    });
    expect(changed.body).toEqual({ ...before.body, enabled: false });
    const late = await app.rest('PATCH', path, {
      body: { description: 'Two.' },
      headers: { 'if-match': before.headers.get('etag') as string },
    });
    expect([late.status, late.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
  });

  test('has its address in the form in which it is requested', async () => {
    const { path } = await newWebhook({ url: 'https://Shop.example' });
    expect((await app.rest('GET', path)).body.url).toBe('https://shop.example/');
    const { body } = await app.rest('PATCH', path, { body: { url: 'https://shop.example:443/ë' } });
    expect(body.url).toBe('https://shop.example/%C3%AB');
  });

  test('is deleted with its deliveries', async () => {
    const { path } = await newWebhook();
    expect((await app.rest('DELETE', path)).status).toBe(204);
    for (const [method, gone] of [
      ['GET', path],
      ['DELETE', path],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/secret`],
      ['POST', `${path}/redeliver?after=now`],
    ] as const) {
      const { status, body } = await app.rest(method, gone);
      expect([status, body.message]).toEqual([404, `No webhook has the id ${path.split('/')[2]}.`]);
    }
  });

  test('is created once by repeated requests with a key, and each gets the same secret', async () => {
    const request = { body: { url }, headers: { 'idempotency-key': 'the-same' } };
    const [one, other] = [await app.rest('POST', '/webhooks', request), await app.rest('POST', '/webhooks', request)];
    expect(other.text).toBe(one.text);
  });
});

describe('is rejected, with what is accepted:', () => {
  test.each([
    [{}, 'url is required.'],
    [{ url: 'shop.example' }, 'url must be an absolute URL, such as https://shop.example/hooks.'],
    [{ url: 'http://shop.example/' }, 'url must begin with https:.'],
    [{ url: 'http://localhost:8000/' }, 'url must begin with https:.'],
    [{ url: 'https://127.0.0.1/' }, 'url must lead to a public address.'],
    [{ url: 'https://me@shop.example/' }, 'url must not contain a user name or password.'],
    [{ url: 'https://:pw@shop.example/' }, 'url must not contain a user name or password.'],
    [{ url: 'https://169.254.169.254/latest/meta-data' }, 'url must lead to a public address.'],
    [{ url: 'https://[fd00::1]/' }, 'url must lead to a public address.'],
    [{ url, types: ['pet.sold'] }, /^types\.0 must be one of order\.placed, .*, not "pet\.sold"\.$/],
    [{ url, types: 'pet.created,pet.updated' }, /^types must be one of order\.placed, /],
    [
      { url, secret: 'mine' },
      /^secret is not a field of NewWebhook, which accepts url, types, description, enabled\.$/,
    ],
  ])('a webhook %j', async (body, message) => {
    const answer = await app.rest('POST', '/webhooks', { body });
    expect([answer.status, answer.body.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.body.message).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
  });

  test('a webhook whose address is too long as it is stored', async () => {
    const long = `https://shop.example/${'é'.repeat(700)}`;
    const { status, body } = await app.rest('POST', '/webhooks', { body: { url: long } });
    const message = 'url must be at most 2000 characters long when it is percent-encoded.';
    expect([status, body.message]).toEqual([422, message]);
  });

  test('a change of its address to one that is not public', async () => {
    const { path } = await newWebhook();
    const { status, body } = await app.rest('PATCH', path, { body: { url: 'https://10.0.0.1/' } });
    expect([status, body.message]).toEqual([422, 'url must lead to a public address.']);
  });

  test.each([
    ['x', 400, 'after must be the id of an event, such as 1.204, or now.'],
    [
      '9.1',
      410,
      /^after=9\.1 cannot be continued\. It was issued before a backup was restored, or before events were switched on again\. Give the id of an event that is kept\.$/,
    ],
    ['1.999999', 410, /^after=1\.999999 cannot be continued/],
  ])('redelivery after %s', async (after, status, message) => {
    const { path } = await newWebhook();
    const answer = await app.rest('POST', `${path}/redeliver?after=${after}`);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
  });

  test('redelivery after an event that is gone, even if it is repeated with its key', async () => {
    const { path } = await newWebhook();
    const headers = { 'idempotency-key': 'from-before' };
    for (const isReplay of [false, true]) {
      const answer = await app.rest('POST', `${path}/redeliver?after=9.1`, { headers });
      expect([answer.status, answer.headers.has('idempotent-replayed')]).toEqual([410, isReplay]);
    }
  });

  test('redelivery that does not say after which event', async () => {
    const { path } = await newWebhook();
    const { status, body } = await app.rest('POST', `${path}/redeliver`);
    expect([status, body.message]).toEqual([400, 'after is required in the query string.']);
  });

  test('the one beyond fifty of a caller, and beyond a hundred', async () => {
    const { data } = await app.graphql('{ webhooks { totalCount } }');
    for (let n = data.webhooks.totalCount; n < 50; n++) await newWebhook();
    const create = async () => (await app.rest('POST', '/webhooks', { body: { url } })).body;
    expect(await create()).toMatchObject({
      status: 409,
      message: 'You have created 50 webhooks, as many as a caller can have; delete one first.',
    });
    await app.database.transaction((query) =>
      query("update webhooks set created_by = 'other'", []).then(() =>
        query(
          `insert into webhooks (url, secret, position, created_at, created_by)
            select url, secret, position, created_at, 'another' from webhooks`,
          [],
        ),
      ),
    );
    expect(await create()).toMatchObject({ status: 409, message: 'There can be 100 webhooks; delete one first.' });
  });

  test('those beyond a hundred, of many at once', async () => {
    for (const { id } of (await app.rest('GET', '/webhooks?limit=3')).body) await app.rest('DELETE', `/webhooks/${id}`);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => app.rest('POST', '/webhooks', { body: { url } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, ...Array(7).fill(409)]);
  });
});
