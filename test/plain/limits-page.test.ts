import { readdirSync, readFileSync } from 'node:fs';
import { maxHeaderSize } from 'node:http';
import { expect, test } from 'vitest';
import { examples } from '../limits/examples.ts';
import { limitOf, toldLimits } from '../limits/limits-page.ts';

const source = new URL('../../src/engine/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, source), 'utf8');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** Every bound that they have a name for. */
const BOUND = /(?:^(?:export )?const ((?:MOST|LONGEST|LARGEST)\w*) =|^ {2}(\w+Timeout):) ([\d_]+)/gm;
const bounds = new Map<string, number>(
  files.flatMap((file) =>
    [...read(file).matchAll(BOUND)].map(
      ([, constant, option, number = '']) =>
        [`${file} ${constant ?? option}`, Number(number.replaceAll('_', ''))] as const,
    ),
  ),
);

/** What docs/limits.md calls those that a client can meet. */
const met: Readonly<Record<string, string>> = {
  'auth/jwt.ts LONGEST_SUBJECT': "characters of a token's `sub`",
  'db/paging.ts LARGEST_PAGE': 'rows of a page on REST',
  'db/lanes.ts LONGEST_LOCK_WAIT': 'time that a change waits for a locked row',
  'db/transactions.ts LONGEST_TRANSACTION': 'time that a request with an `Idempotency-Key` takes after it has begun',
  'errors.ts MOST_ISSUES': 'errors named in an answer',
  'graphql/comparable.ts MOST_NESTING': 'nesting of selections and fragments',
  'graphql/comparable.ts MOST_PAIRS': 'pairs of fields, or of fragments, with the same name in one place',
  'graphql/comparable.ts MOST_SELECTIONS': 'selections of all operations, with fragments expanded once per place',
  'graphql/errors.ts LONGEST_MESSAGE': 'characters of a message about the document',
  'operation/counts.ts MOST_COUNTS': 'lists with `totalCount`',
  'operation/cost.ts LARGEST_ANSWER': 'the answer, by the maximum lengths of its fields',
  'operation/selection.ts MOST_ALIASES': 'aliases, with fragments expanded',
  'operation/selection.ts MOST_DEPTH': 'depth of fields',
  'operation/selection.ts MOST_DIRECTIVES': 'directives, with fragments expanded',
  'operation/selection.ts MOST_FIELDS': 'selections of the operation, with fragments expanded',
  'operation/cost.ts MOST_ROWS': 'rows of lists; the sizes of nested lists multiply',
  'operation/cost.ts MOST_TOKENS': 'tokens of the document',
  'operation/cost.ts MOST_LINES': 'lines of the document',
  'operation/cost.ts MOST_VALUES': 'values of those rows, and items of list arguments',
  'http/body.ts LARGEST_BODY': 'body',
  'http/listen.ts headersTimeout': 'time to send the header fields',
  'http/listen.ts keepAliveTimeout': 'time that a connection stays open without a request',
  'http/listen.ts requestTimeout': 'time to send the whole request',
  'http/node.ts MOST_OF_BODIES': 'bodies held in memory, in total',
  'http/node.ts MOST_OF_CALLERS_BODIES': 'bodies held in memory, per caller',
  'http/node.ts MOST_UNREAD': 'answers that clients have not read yet, in total',
  'http/node.ts MOST_UNREAD_OF_CALLER': 'answers that the client has not read yet, per caller',
  'idempotency/run.ts LONGEST_BODY': 'characters of the answer to a request with an `Idempotency-Key`',
  'lifecycle/client.ts LONGEST': "characters of a client's name",
  'limits/gate.ts MOST_AT_ONCE': 'units per caller in progress',
  'limits/json.ts LONGEST_NUMBER': 'digits of a number in the body',
  'limits/json.ts LONGEST_TEXT': 'bytes of a string in the body',
  'limits/json.ts MOST_VALUES': 'JSON values in the body',
  'usage/store.ts MOST_CLIENTS': 'client names per lifecycle mark and day',
  'pages/session.ts LONGEST': 'the form that sends a key for the lifecycle page',
};

/** Those that no client meets: how much is remembered or done at once, and how long somebody is waited for who is refused; and what a page shows. */
const unmet = [
  'db/batch.ts LARGEST_BATCH',
  'db/batch.ts MOST_IN_FLIGHT',
  'db/client.ts MOST_ATTEMPTS',
  'db/keyset.ts MOST_PAGES',
  'db/lock.ts MOST_TRIES',
  'json.ts LONGEST_INTEGER',
  'lifecycle/tally.ts MOST_COUNTS',
  'pages/lifecycle/scale.ts LONGEST_STEP',
  'pages/lifecycle/scale.ts MOST_STEPS',
  'auth/jwt.ts MOST_KNOWN',
  'auth/keys.ts MOST_KNOWN',
  'db/cursor.ts LONGEST_CURSOR',
  'db/counts.ts MOST_SHAPES',
  'db/paging.ts MOST_SHAPES',
  'db/server.ts MOST_PREPARED',
  'operation/compilable-places.ts MOST_PATH_CHARACTERS',
  'http/graphql-media-type.ts MOST_ACCEPTS',
  'operation/documents.ts MOST_CHARACTERS',
  'operation/documents.ts MOST_COMPILED',
  'operation/documents.ts MOST_COMPILED_FIELDS',
  'operation/documents.ts MOST_DOCUMENTS',
  'operation/documents.ts MOST_TEXTS',
  'http/connection.ts LONGEST_FAREWELL',
  'http/node.ts LONGEST_TEXT',
  'http/node.ts LONGEST_WAIT',
  'idempotency/run.ts MOST_AT_ONCE',
  'idempotency/run.ts MOST_OF_SEVERAL',
  'lifecycle/client.ts LONGEST_REMEMBERED',
  'lifecycle/client.ts MOST_REMEMBERED',
  'limits/account.ts MOST_KNOWN',
  'limits/rate.ts MOST_CALLERS',
  'usage/store.ts MOST_TOLD',
];

test.each(Object.entries(met))('docs/limits.md tells %s, as a limit of %s', (bound, what) => {
  expect(limitOf(what).most).toBe(bounds.get(bound));
});

test('docs/limits.md tells every bound that a client can meet', () => {
  expect([...bounds.keys()].sort()).toEqual([...Object.keys(met), ...unmet].sort());
});

const HEADER = 'request line and header fields';
const ID = 'characters of an `X-Request-Id`';

test('and no limit that is not looked at here, or where it is met', () => {
  const held = [HEADER, ID, ...Object.values(met), ...Object.keys(examples)];
  expect(toldLimits.filter((what) => !held.includes(what))).toEqual([]);
});

test('docs/limits.md tells the limits that have no name in the source', () => {
  expect(limitOf(HEADER).most).toBe(maxHeaderSize);
  const [, longestId] = /USABLE_ID = .+\{1,(\d+)\}/.exec(read('http/incoming.ts')) ?? [];
  expect(limitOf(ID).most).toBe(Number(longestId));
});
