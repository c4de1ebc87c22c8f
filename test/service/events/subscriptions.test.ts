import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import { watched } from '../../support/watched.ts';
import { app, serveEvents } from './rows.ts';

serveEvents();

function subscribe(body: Readonly<Record<string, unknown>>, to = app): Promise<Response> {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
  return to.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** The first result of a subscription to a category that is created meanwhile. */
async function firstResult(extensions: object = {}) {
  const query = 'subscription { events(types: [category_created]) { type } }';
  const response = await subscribe({ query, extensions });
  expect(response.status).toBe(200);
  await app.rest('POST', '/categories', { body: { name: 'Received' } });
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (!/^data: \{.*\n\n/m.test(text)) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) throw new Error(`There is no result: ${text}`);
    text += chunk.value;
  }
  await reader?.cancel();
  return { headers: response.headers, result: JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? '') };
}

describe('a subscription with @skip or @include at its root is rejected with 400, whatever the condition', () => {
  test.each([
    ['on its field, by a variable', 'subscription ($s: Boolean!) { events @include(if: $s) { id } }'],
    ['on its field, by a literal', 'subscription { events @skip(if: true) { id } }'],
    ['on an inline fragment', 'subscription ($s: Boolean!) { ... @skip(if: $s) { events { id } } }'],
    [
      'on a spread',
      'subscription ($s: Boolean!) { ...F @include(if: $s) } fragment F on Subscription { events { id } }',
    ],
    [
      'within a fragment',
      'subscription ($s: Boolean!) { ...F } fragment F on Subscription { events @include(if: $s) { id } }',
    ],
    [
      'once, within a fragment that is spread twice',
      'subscription ($s: Boolean!) { ...F ...F } fragment F on Subscription { events @include(if: $s) { id } }',
    ],
  ])('%s', async (_, query) => {
    const response = await subscribe({ query, variables: { s: true } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [
        {
          message: expect.stringMatching(/^A subscription must not have @skip or @include at its root\./),
          locations: [{ line: 1 }],
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', status: 400 },
        },
      ],
    });
  });

  test('but not one with them further within, nor one with another mistake at its root', async () => {
    const query = 'subscription ($s: Boolean!) { events { id type @include(if: $s) } }';
    const response = await subscribe({ query, variables: { s: true } });
    expect(response.status).toBe(200);
    await response.body?.cancel();
    const two = await subscribe({ query: 'subscription { events { id } other: events { id } }' });
    expect(await two.text()).toContain('must select only one top level field');
    const unknown = await subscribe({ query: 'subscription { ...F }' });
    expect(await unknown.text()).toContain('Unknown fragment');
  });
});

describe('a subscription says its lifecycle', () => {
  test('in the header fields of the stream, and in extensions.lifecycle of each result', async () => {
    const { headers, result } = await firstResult();
    expect(headers.get('api-stability')).toBe('beta');
    expect(result).toEqual({
      data: { events: { type: 'category_created' } },
      extensions: { lifecycle: expect.arrayContaining([{ coordinate: 'Subscription.events', level: 'beta' }]) },
    });
  });

  test('in the header fields alone, if the request says extensions.lifecycle: false', async () => {
    const { headers, result } = await firstResult({ lifecycle: false });
    expect(headers.get('api-stability')).toBe('beta');
    expect(result).toEqual({ data: { events: { type: 'category_created' } } });
  });
});

test('a failure to read what a subscription selects from an event is logged with its cause, as one of a query is', async () => {
  const logged: Readonly<Record<string, unknown>>[] = [];
  const logger = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const failing = await startTestApp(
    {},
    {},
    (database) =>
      watched(database, async ({ text }, run) => {
        if (text.includes('from "categories"')) throw new Error('The disk is broken.');
        return run();
      }),
    undefined,
    logger,
  );
  await failing.begin();
  const { body } = await failing.rest('POST', '/categories', { body: { name: 'Dogs' } });
  const query = 'subscription { events(types: [pet_created]) { data { ... on Pet { category { name } } } } }';
  const response = await subscribe({ query }, failing);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { errors } = await failing.graphql(
    `mutation { createPet(pet: { name: "Rex", categoryId: ${body.id} }) { id } }`,
  );
  expect(errors).toBeUndefined();
  for (let text = ''; !text.includes('"code":"INTERNAL"'); ) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) throw new Error(`There is no error: ${text}`);
    text += chunk.value;
  }
  await reader?.cancel();
  expect(logged).toMatchObject([
    {
      level: 40,
      requestId: response.headers.get('x-request-id'),
      err: { message: expect.any(String) },
    },
  ]);
  expect(JSON.stringify(logged)).toContain('The disk is broken.');
  await failing.flush();
  await failing.dispose();
});
