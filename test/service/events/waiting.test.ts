import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { COMPILED_AT } from '../../../src/engine/operation/documents.ts';
import { startTestApp } from '../../support/app.ts';
import { published } from '../../support/feed.ts';
import { app, serveEvents } from './rows.ts';

serveEvents();

const PAGE = '{ nodes { type } pageInfo { endCursor } }';

/** Runs the query, and creates a category while it waits. */
async function whileCreating(query: string, variables?: Readonly<Record<string, unknown>>) {
  await published(app);
  const waiting = app.graphql(query, variables);
  await sleep(300);
  await app.rest('POST', '/categories', { body: { name: 'Dogs' } });
  return waiting;
}

describe('a query that waits for events in several fields', () => {
  const query = `query ($wait: Int) {
    a: events(after: "now", wait: $wait, types: [category_created]) ${PAGE}
    c: events(after: "now", wait: $wait, types: [category_created]) ${PAGE}
    b: events(first: 1) ${PAGE}
  }`;
  const created = { nodes: [{ type: 'category_created' }] };

  test.each(['interpreted', 'compiled'])('loses none of them, whatever the other fields wait for (%s)', async (how) => {
    if (how === 'compiled') for (let run = 0; run < COMPILED_AT; run++) await app.graphql(query);
    const { data, errors } = await whileCreating(query, { wait: 10 });
    expect(errors).toBeUndefined();
    expect([data.a, data.c]).toMatchObject([created, created]);
  });
});

test.each(['@skip(if: $leftOut)', '@include(if: false)'])('a field with %s does not wait', async (condition) => {
  const query = `query ($leftOut: Boolean = true) {
    events(after: "now", wait: 20) ${condition} { nodes { id } }
    __typename @skip(if: $leftOut)
    pets(first: 1) { totalCount }
  }`;
  const started = performance.now();
  const { data } = await app.graphql(query);
  expect(data).toEqual({ pets: { totalCount: expect.any(Number) } });
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('a wrong cursor is the error of its field, with or without a wait', async () => {
  const errorsOf = async (wait: number) =>
    (await app.graphql(`{ events(after: "9.1", wait: ${wait}) { nodes { id } } }`)).errors;
  const errors = await errorsOf(0);
  expect(errors).toMatchObject([{ path: ['events'], extensions: { code: 'GONE' } }]);
  expect(await errorsOf(1)).toEqual(errors);
});

test('a query with a field that may not wait gives back the places of the others soon', async () => {
  const other = await startTestApp({ MAX_STREAMS: 20 });
  const wait = (count: number, seconds: number) => {
    const fields = Array.from({ length: count }, (_, n) => `e${n}: events(after: "now", wait: ${seconds}) ${PAGE}`);
    return other.graphql(`{ ${fields} }`);
  };
  try {
    const message = 'Your streams count as 2 of 2 already; close one first.';
    expect((await wait(3, 20)).errors).toMatchObject([{ message, extensions: { code: 'RATE_LIMITED' } }]);
    // An attempt that fails has a place for a while too, so the next one waits for longer than that.
    await expect.poll(async () => (await wait(2, 1)).errors, { timeout: 20_000, interval: 3_000 }).toBeUndefined();
  } finally {
    await other.dispose();
  }
});

test('a page that waits counts as several places with a long document', async () => {
  const other = await startTestApp({ MAX_STREAMS: 40 });
  const wait = (fields: string) => other.graphql(`{ ${fields} } # ${'long '.repeat(500)}`);
  const page = `events(after: "now", wait: 1) ${PAGE}`;
  try {
    expect((await wait(`one: ${page}`)).errors).toBeUndefined();
    const message =
      'Your streams count as 3 of 4 already, and this one as 3 because its document and variables are long; close one first.';
    expect((await wait(`one: ${page} other: ${page}`)).errors).toMatchObject([{ message }]);
  } finally {
    await other.dispose();
  }
});
