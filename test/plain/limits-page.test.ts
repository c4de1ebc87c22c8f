import { readdirSync, readFileSync } from 'node:fs';
import { maxHeaderSize } from 'node:http';
import { expect, test } from 'vitest';
import { examples } from '../limits/examples.ts';
import { limitOf, toldLimits } from '../limits/readme.ts';

const source = new URL('../../src/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, source), 'utf8');

/** What reads requests, and what counts by what they say. */
const folders = ['auth', 'graphql', 'http', 'idempotency', 'limits', 'rest'];
const files = [
  ...folders.flatMap((folder) => readdirSync(new URL(folder, source)).map((name) => `${folder}/${name}`)),
  ...[
    'db/cursor.ts',
    'db/paging.ts',
    'db/counts.ts',
    'db/lanes.ts',
    'db/server.ts',
    'db/transactions.ts',
    'errors.ts',
    'lifecycle/client.ts',
    'resources/lifecycle/store.ts',
  ],
];

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

/** What the README calls those that a client can meet. */
const met: Readonly<Record<string, string>> = {
  'auth/jwt.ts LONGEST_SUBJECT': "characters of a token's `sub`",
  'db/paging.ts LARGEST_PAGE': 'rows of a page on REST',
  'db/lanes.ts LONGEST_LOCK_WAIT': 'time that a change waits for a row that others have locked',
  'db/transactions.ts LONGEST_TRANSACTION': 'time that a request with such a key may take once it has begun',
  'errors.ts MOST_ISSUES': 'faults that are named',
  'graphql/comparable.ts MOST_NESTING': 'levels of selections, those of fragments too',
  'graphql/comparable.ts MOST_PAIRS': 'pairs of fields, or of fragments, that have one name in one place',
  'graphql/comparable.ts MOST_SELECTIONS':
    'selections of all operations, with a fragment written out once in each place',
  'graphql/errors.ts LONGEST_MESSAGE': 'characters of a message about its document',
  'graphql/counts.ts MOST_COUNTS': 'lists that are counted',
  'graphql/limits.ts LARGEST_ANSWER': 'its answer, by the greatest lengths of its fields',
  'graphql/limits.ts MOST_ALIASES': 'aliases, with its fragments written out',
  'graphql/limits.ts MOST_DEPTH': 'levels of fields',
  'graphql/limits.ts MOST_DIRECTIVES': 'directives, with its fragments written out',
  'graphql/limits.ts MOST_FIELDS': 'selections of the operation, with its fragments written out',
  'graphql/limits.ts MOST_ROWS': 'rows of lists: the sizes of lists within lists multiply',
  'graphql/limits.ts MOST_TOKENS': 'tokens of its document',
  'graphql/limits.ts MOST_LINES': 'lines of its document',
  'graphql/limits.ts MOST_VALUES': "values of those rows' fields, and items of the lists that fields are given",
  'http/body.ts LARGEST_BODY': 'body',
  'http/listen.ts headersTimeout': 'time until its header has come',
  'http/listen.ts keepAliveTimeout': 'time that a connection is kept without a request',
  'http/listen.ts requestTimeout': 'time until all of it has come',
  'http/node.ts MOST_OF_BODIES': 'bodies that are not answered yet, of all callers',
  'http/node.ts MOST_OF_CALLERS_BODIES': 'bodies that are not answered yet, of one caller',
  'http/node.ts MOST_UNREAD': 'answers that are not read yet, of all callers',
  'http/node.ts MOST_UNREAD_OF_CALLER': 'answers that are not read yet, of one caller',
  'idempotency/run.ts LONGEST_BODY': 'characters of the answer to a request with such a key',
  'lifecycle/client.ts LONGEST': "characters of a client's name",
  'limits/gate.ts MOST_AT_ONCE': 'units of a caller that are worked on at once',
  'limits/json.ts LONGEST_NUMBER': 'digits of a number in its body',
  'limits/json.ts LONGEST_TEXT': 'bytes of a text in its body',
  'limits/json.ts MOST_VALUES': 'JSON values in its body',
  'resources/lifecycle/store.ts MOST_CLIENTS': 'names of clients for a mark and a day',
};

/** Those that no client meets: how much is remembered or done at once, and how long somebody is waited for who is refused. */
const unmet = [
  'auth/jwt.ts MOST_KNOWN',
  'auth/keys.ts MOST_KNOWN',
  'db/cursor.ts LONGEST_CURSOR',
  'db/counts.ts MOST_SHAPES',
  'db/paging.ts MOST_SHAPES',
  'db/server.ts MOST_PREPARED',
  'graphql/compilable-places.ts MOST_PATH_CHARACTERS',
  'graphql/media-type.ts MOST_ACCEPTS',
  'graphql/operations.ts MOST_CHARACTERS',
  'graphql/operations.ts MOST_COMPILED',
  'graphql/operations.ts MOST_COMPILED_FIELDS',
  'graphql/operations.ts MOST_DOCUMENTS',
  'graphql/operations.ts MOST_TEXTS',
  'http/connection.ts LONGEST_FAREWELL',
  'http/node.ts LONGEST_TEXT',
  'http/node.ts LONGEST_WAIT',
  'idempotency/run.ts MOST_AT_ONCE',
  'idempotency/run.ts MOST_OF_SEVERAL',
  'lifecycle/client.ts LONGEST_REMEMBERED',
  'lifecycle/client.ts MOST_REMEMBERED',
  'limits/account.ts MOST_KNOWN',
  'limits/rate.ts MOST_CALLERS',
  'resources/lifecycle/store.ts MOST_TOLD',
];

test.each(Object.entries(met))('the README tells %s, as a limit of %s', (bound, what) => {
  expect(limitOf(what).most).toBe(bounds.get(bound));
});

test('the README tells every bound that a client can meet', () => {
  expect([...bounds.keys()].sort()).toEqual([...Object.keys(met), ...unmet].sort());
});

const HEADER = 'first line and header fields';
const ID = 'characters of an `X-Request-Id`';

test('and no limit that is not looked at here, or where it is met', () => {
  const held = [HEADER, ID, ...Object.values(met), ...Object.keys(examples)];
  expect(toldLimits.filter((what) => !held.includes(what))).toEqual([]);
});

test('the README tells the limits that have no name in the source', () => {
  expect(limitOf(HEADER).most).toBe(maxHeaderSize);
  const [, longestId] = /USABLE_ID = .+\{1,(\d+)\}/.exec(read('http/incoming.ts')) ?? [];
  expect(limitOf(ID).most).toBe(Number(longestId));
});
