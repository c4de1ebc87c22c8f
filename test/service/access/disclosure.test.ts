import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { versionMismatch } from '../../../src/engine/db/version.ts';
import { COMPILED_AT } from '../../../src/engine/operation/documents.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { sampleOf } from '../../support/cases.ts';
import { hasCommonTests } from '../../support/database.ts';
import { trustIn } from './callers.ts';
import { cases } from './changes.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { type Asked, codesOf, mutations, postGraphQL, queries, reads, send, ways } from './requests.ts';
import { fill, NOWHERE } from './worlds.ts';

let issuer: Issuer;
/** The service with AUTH=all in each of two worlds, which differ only in their stored rows. */
let worlds: readonly [TestApp, TestApp];
/** The service with AUTH=required, in the first world. */
let open: TestApp;
let keys = 0;

beforeAll(async () => {
  issuer = await startIssuer();
  const start = (AUTH: 'all' | 'required') => startTestApp({ AUTH, ...trustIn(issuer) });
  worlds = [await start('all'), await start('all')];
  open = await start('required');
  await Promise.all([refill(), fill(open, 0)]);
});
afterAll(async () => {
  await Promise.all([...(worlds ?? []), open].map((app) => app?.dispose()));
  await issuer?.close();
});

function refill() {
  return Promise.all([fill(worlds[0], 0), fill(worlds[1], 1)]);
}

/** The responses of both worlds to the same request of the same caller. */
async function askBoth(asked: Asked, credential: string, more?: Readonly<Record<string, string>>) {
  const answers = await Promise.all([
    send(worlds[0], asked, credential, more),
    send(worlds[1], asked, credential, more),
  ]);
  return answers.map(withoutChance) as [string, string];
}

/** The response without what differs each time: the secret and the time of a new webhook. */
function withoutChance(answer: string): string {
  return answer
    .replaceAll(/whsec_[^"]+/g, 'whsec_')
    .replaceAll(/"createdAt":"[^"]+"/g, '"createdAt":""')
    .replaceAll(/content-length: \d+/g, 'content-length: 0');
}

/** A new key for each request; both worlds get the same key. */
function nextKey() {
  return { 'idempotency-key': `key-${++keys}` };
}

/** The message of an error in any of its formats. */
function messageOf(answer: string): string {
  const body = JSON.parse(answer.slice(answer.indexOf('\n\n') + 2));
  return body.errors?.[0].extensions === undefined ? (body.detail ?? body.message) : body.errors[0].message;
}

test('every mutation has its cases here, one for each error code that depends on stored rows', () => {
  expect(Object.keys(cases).sort(), 'Add its cases to test/service/access/changes.ts').toEqual(
    mutations.map(({ name }) => name).sort(),
  );
  for (const { name } of mutations) {
    const held = new Set([...(cases[name]?.rejected.map(({ code }) => code) ?? []), ...(cases[name]?.ofNoRow ?? [])]);
    const hint = `Add its cases to test/service/access/changes.ts, and their rows to worlds.ts: ${name}`;
    expect([...held].sort(), hint).toEqual([...codesOf(name)].sort());
  }
});

const everyRejection = mutations.flatMap(({ name, scope }) =>
  (cases[name]?.rejected ?? []).flatMap((rejection, n) =>
    Object.entries(ways).map(([way, ask]) => ({
      ...rejection,
      title: `${name} ${n + 1}`,
      scope,
      way,
      asked: ask(name, rejection.variables),
    })),
  ),
);

/** Each rejection, and each code by each way; on the embedded database, which has no part in most of it, each code. */
const rejections = hasCommonTests
  ? sampleOf(
      everyRejection,
      ({ title }) => title,
      ({ code, way, detailedMessage }) => `${code} ${way} ${detailedMessage !== undefined}`,
    )
  : sampleOf(
      everyRejection,
      ({ code, detailedMessage }) => `${code} ${detailedMessage !== undefined}`,
      ({ way }) => way,
    );

describe('where reads need a credential, a rejection shows a caller without read only the error code, and no stored value', () => {
  test.each(rejections)('$title $code by $way', async ({ asked, code, scope, way }) => {
    const writer = await issuer.token({ scope });
    // The first time the document is new, then it is a prepared operation, and at last it is compiled.
    for (let run = 0; run <= (way === 'GraphQL' ? COMPILED_AT : 1); run++) {
      const [one, other] = await askBoth(asked, writer);
      expect(one).toContain(`"${code}"`);
      expect(other).toBe(one);
    }
    const key = nextKey();
    for (const _ of ['done', 'replayed']) {
      const [one, other] = await askBoth(asked, writer, key);
      expect(one).toContain(`"${code}"`);
      expect(other).toBe(one);
    }
  });
});

test('of two concurrent writers, the one that is rejected gets no version', () => {
  const [one, other] = [3, 8].map((version) => versionMismatch('Pet 201', { version }, null));
  expect([one?.code, one?.message]).toEqual(['CONFLICT', other?.message]);
  expect(one?.detailedMessage).toBeUndefined();
});

describe('for a caller that may read, the same rejection names the stored values', () => {
  test.each(rejections)('$title $code by $way', async ({ asked, code, scope, detailedMessage }) => {
    const reader = await issuer.token({ sub: 'bob', scope: `${scope} read` });
    for (const more of [{}, {}, nextKey()]) {
      const answers = await askBoth(asked, reader, more);
      for (const answer of answers) expect(answer).toContain(`"${code}"`);
      const messages = answers.map(messageOf);
      if (detailedMessage === undefined) expect(messages[1]).toBe(messages[0]);
      else expect(messages).toEqual(detailedMessage);
      // Where reads need no credential, every caller may read.
      const writer = await issuer.token({ sub: 'cat', scope });
      expect(messageOf(await send(open, asked, writer, more))).toBe(messages[0]);
    }
  });
});

describe('a stored rejection that names stored values is replayed only while its caller may read', () => {
  const named = rejections.filter(({ detailedMessage }) => detailedMessage !== undefined);

  test.each(named)('$title $code by $way', async ({ asked, scope }) => {
    const [reader, writer] = [await issuer.token({ scope: `${scope} read` }), await issuer.token({ scope })];
    const key = nextKey();
    const message = messageOf((await askBoth(asked, reader, key))[0]);
    const [one, other] = await askBoth(asked, writer, key);
    expect(one).toContain('"FORBIDDEN"');
    expect(one).not.toContain(message);
    expect(other).toBe(one);
    const [replayed] = await askBoth(asked, reader, key);
    expect(replayed).toContain('idempotent-replayed: true');
    expect(messageOf(replayed)).toBe(message);
  });

  test.each(named)(
    'and one that names none is replayed byte for byte: $title $code by $way',
    async ({ asked, scope }) => {
      const [reader, writer] = [await issuer.token({ scope: `${scope} read` }), await issuer.token({ scope })];
      const key = nextKey();
      const message = messageOf((await askBoth(asked, writer, key))[0]);
      for (const caller of [writer, reader]) {
        const [replayed] = await askBoth(asked, caller, key);
        expect(replayed).toContain('idempotent-replayed: true');
        expect(messageOf(replayed)).toBe(message);
      }
    },
  );
});

describe('a successful change shows a caller without read only the changed row', () => {
  afterAll(refill);
  const everyChange = mutations.flatMap(({ name, scope }) =>
    Object.entries(ways).map(([way, ask]) => ({ name, scope, way, asked: ask(name, cases[name]?.succeeds ?? {}) })),
  );
  /** Each mutation on each protocol, and each way; on the embedded database each mutation. */
  const done = sampleOf(
    everyChange,
    ({ name, way }) => (hasCommonTests ? `${name} ${way.split(',')[0]}` : name),
    ({ way }) => way,
  );

  test.each(done)('$name by $way', async ({ asked, scope }) => {
    const writer = await issuer.token({ scope });
    for (const more of [{}, nextKey()]) {
      await refill();
      const [one, other] = await askBoth(asked, writer, more);
      expect(one).toMatch(/^20\d\n/);
      expect(one).not.toContain('"errors"');
      expect(other).toBe(one);
    }
  });
});

describe('a rejected read gets the same response whatever is stored, and whether the row exists or not', () => {
  const all = 'catalogue:write orders:write stock:write';

  test.each(reads(201).map((asked, n) => ({ asked, missing: reads(NOWHERE)[n] as Asked })))(
    'REST GET $missing.path',
    async ({ asked, missing }) => {
      const writer = await issuer.token({ scope: all });
      for (const headers of [{}, { 'if-none-match': '*' }, { 'if-match': '"1"' }]) {
        for (const method of ['GET', 'HEAD']) {
          const there = await askBoth({ ...asked, method }, writer, headers);
          const notThere = await askBoth({ ...missing, method }, writer, headers);
          const [first, ...others] = [...there, ...notThere];
          expect(first).toMatch(/^403\n/);
          for (const answer of others) expect(answer.replaceAll(`${NOWHERE}`, '201')).toBe(first);
        }
      }
    },
  );

  test.each(queries)('GraphQL $name', async ({ name, names }) => {
    const writer = await issuer.token({ scope: all });
    const given = names.map((argument) => `${argument}: $id`).join();
    const query =
      names.length === 0 ? `{ ${name} { __typename } }` : `query ($id: Int64!) { ${name}(${given}) { __typename } }`;
    for (const _ of ['first', 'second', 'third']) {
      const answers = [];
      for (const id of [201, NOWHERE]) answers.push(...(await askBoth(postGraphQL(query, { id }), writer)));
      for (const answer of answers) expect(answer).toBe(answers[0]);
      expect(answers[0]).toMatch(/^403\n/);
    }
  });
});
