import { readdirSync, readFileSync } from 'node:fs';
import { maxHeaderSize } from 'node:http';
import { expect, test } from 'vitest';
import { examples } from '../../service/limits/examples.ts';
import { documentedLimits, limitOf } from '../../service/limits/limits-page.ts';

const source = new URL('../../../src/engine/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, source), 'utf8');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** Every bound that has a name in the source. */
const BOUND = /(?:^(?:export )?const (MAX_\w*) =|^ {2}(\w+Timeout):) ([\d_]+)/gm;
const bounds = new Map<string, number>(
  files.flatMap((file) =>
    [...read(file).matchAll(BOUND)].map(
      ([, constant, option, number = '']) =>
        [`${file} ${constant ?? option}`, Number(number.replaceAll('_', ''))] as const,
    ),
  ),
);

/** The bounds that a client can reach, with their names in docs/limits.md. */
const documented: Readonly<Record<string, string>> = {
  'auth/jwt.ts MAX_SUBJECT_LENGTH': "characters of a token's `sub`",
  'db/paging.ts MAX_PAGE_SIZE': 'rows of a page on REST',
  'db/pool-kinds.ts MAX_LOCK_WAIT':
    'time that a change waits for a locked row, and as long before that for other changes of the same row',
  'db/transactions.ts MAX_TRANSACTION_TIME': 'time that a request with an `Idempotency-Key` takes after it has started',
  'events/graphql.ts MAX_PAGE_EVENTS': 'events of a page',
  'events/graphql.ts MAX_WAIT': 'seconds that a page of events waits',
  'events/streams.ts MAX_WAITING': 'batches of events that a stream is behind, because it selects so much',
  'events/event-stream.ts MAX_UNREAD': 'events of a stream that the client has not read yet',
  'errors.ts MAX_VALIDATION_ERRORS': 'errors named in a response',
  'http/connection.ts MAX_WAITING': 'pipelined requests that wait for earlier ones on their connections, in total',
  'graphql/validation-cost.ts MAX_NESTING': 'nesting of selections and fragments',
  'graphql/validation-cost.ts MAX_VALUE_NESTING': 'nesting of values, and of list types',
  'graphql/validation-cost.ts MAX_PAIRS': 'pairs of fields, or of fragments, with the same name in one place',
  'graphql/validation-cost.ts MAX_SELECTIONS': 'selections of all operations, with fragments expanded once per place',
  'graphql/errors.ts MAX_MESSAGE_LENGTH': 'characters of a message about the document',
  'operation/cost.ts MAX_COUNTS': 'lists with `totalCount`',
  'operation/cost.ts MAX_RESPONSE_BYTES': 'the response, by the maximum lengths of its fields',
  'operation/selection.ts MAX_ALIASES': 'aliases, with fragments expanded',
  'operation/selection.ts MAX_DEPTH': 'depth of fields',
  'operation/selection.ts MAX_DIRECTIVES': 'directives, with fragments expanded',
  'operation/selection.ts MAX_FIELDS': 'selections of the operation, with fragments expanded',
  'operation/cost.ts MAX_ROWS': 'rows of lists; the sizes of nested lists multiply',
  'operation/cost.ts MAX_TOKENS': 'tokens of the document',
  'operation/cost.ts MAX_LINES': 'lines of the document',
  'operation/cost.ts MAX_VALUES': 'values of those rows, and items of list arguments',
  'http/body.ts MAX_BODY_BYTES': 'body',
  'http/chunks.ts MAX_CHUNKS': 'chunks of a body, beyond one for each 64 bytes of its first MiB',
  'http/listen.ts MAX_FIELDS': 'header fields',
  'http/listen.ts headersTimeout': 'time to send the header fields',
  'http/listen.ts keepAliveTimeout': 'time that a connection stays open without a request',
  'http/listen.ts requestTimeout': 'time to send the whole request',
  'http/etag.ts MAX_LENGTH': 'characters of an `If-Match` or `If-None-Match` field',
  'http/negotiation.ts MAX_LENGTH': 'characters of an `Accept`, `Accept-Encoding` or `Prefer` field',
  'http/negotiation.ts MAX_VALUES': 'values of an `Accept`, `Accept-Encoding` or `Prefer` field',
  'http/node.ts MAX_BODY_MEMORY': 'bodies held in memory, in total',
  'http/node.ts MAX_BODY_MEMORY_OF_CALLER': 'bodies held in memory, per caller',
  'http/node.ts MAX_UNREAD': 'responses that clients have not read yet, in total',
  'http/node.ts MAX_UNREAD_OF_CALLER': 'responses that the client has not read yet, per caller',
  'idempotency/run.ts MAX_BODY_LENGTH': 'characters of the response to a request with an `Idempotency-Key`',
  'lifecycle/client.ts MAX_LENGTH': "characters of a client's name",
  'limits/concurrency.ts MAX_IN_PROGRESS': 'units per caller in progress',
  'limits/json.ts MAX_DEPTH': 'nesting of these values',
  'limits/json.ts MAX_NUMBER_LENGTH': 'digits of a number in them',
  'limits/json.ts MAX_TEXT_LENGTH': 'bytes of a string in them',
  'limits/json.ts MAX_VALUES': 'JSON values in the body, or in the `variables` or `extensions` of a GET',
  'service.ts MAX_PAGES_AT_ONCE':
    'requests of a caller for web pages, API descriptions, and unknown paths and methods that are answered at the same time',
  'webhooks/maintenance.ts MAX_PENDING': 'pending deliveries of all webhooks',
  'webhooks/store.ts MAX_WEBHOOKS': 'webhooks',
  'webhooks/store.ts MAX_OF_CALLER': 'webhooks that a caller has created',
  'webhooks/maintenance.ts MAX_KEPT': 'delivered deliveries of a webhook, and given-up ones, that are kept',
  'usage/store.ts MAX_CLIENTS': 'client names per annotated element and day',
  'pages/session.ts MAX_COOKIE': 'bytes of the cookie that keeps a key for the lifecycle page',
};

/** Internal bounds, such as sizes of caches and batches, waits for rejected clients, and what a page shows. */
const internal = [
  'db/batch.ts MAX_BATCH_SIZE',
  'db/batch.ts MAX_IN_FLIGHT',
  'db/client.ts MAX_ATTEMPTS',
  'db/keyset.ts MAX_PAGES',
  'db/lock.ts MAX_TRIES',
  'events/publish.ts MAX_TOGETHER',
  'events/sequencer.ts MAX_AT_ONCE',
  'events/streams.ts MAX_DELAY',
  'events/tail.ts MAX_READ',
  'events/triggers.ts MAX_IN_A_ROW',
  'http/backlog.ts MAX_WAIT',
  'json.ts MAX_INTEGER_LENGTH',
  'lifecycle/client.ts MAX_KNOWN',
  'lifecycle/tally.ts MAX_COUNTS',
  'pages/lifecycle/timeline.ts MAX_STEPS',
  'pages/session.ts MAX_FORM',
  'auth/jwt.ts MAX_KNOWN',
  'auth/issuer-keys.ts MAX_SEEN',
  'auth/keys.ts MAX_KNOWN',
  'db/cursor.ts MAX_CURSOR_LENGTH',
  'db/batch-by-shape.ts MAX_SHAPES',
  'db/embedded-session.ts MAX_PREPARED',
  'db/server.ts MAX_PREPARED',
  'operation/compiler-bugs.ts MAX_PATH_CHARACTERS',
  'http/negotiation.ts MAX_ACCEPTS',
  'operation/documents.ts MAX_CHARACTERS',
  'operation/documents.ts MAX_COMPILED',
  'operation/documents.ts MAX_COMPILED_FIELDS',
  'operation/documents.ts MAX_DOCUMENTS',
  'operation/documents.ts MAX_RUNS_APART',
  'operation/documents.ts MAX_TEXTS',
  'http/chunks.ts MAX_TOGETHER',
  'http/connection.ts MAX_CLOSE_TIME',
  'http/nearest-path.ts MAX_TYPED_LENGTH',
  'http/node.ts MAX_TEXT_LENGTH',
  'http/node.ts MAX_WAIT',
  'idempotency/run.ts MAX_IN_PROGRESS',
  'idempotency/run.ts MAX_OF_SEVERAL',
  'idempotency/run.ts MAX_TOGETHER',
  'http/incoming.ts MAX_PATH',
  'limits/account.ts MAX_KNOWN',
  'limits/account.ts MAX_LENGTH',
  'limits/rate.ts MAX_CALLERS',
  'usage/store.ts MAX_LISTED',
  'webhooks/deliver.ts MAX_OF_WEBHOOK',
  'webhooks/deliver.ts MAX_RUNNING',
  'webhooks/fairness.ts MAX_OF_CALLER_AT_ONCE',
  'webhooks/queue.ts MAX_ATTEMPT',
  'webhooks/schedule.ts MAX_PAUSE',
  'webhooks/send.ts MAX_EXTRA',
  'webhooks/send.ts MAX_READ_TIME',
  'webhooks/send.ts MAX_RESPONSE',
];

test.each(Object.entries(documented))('docs/limits.md states the value of %s, as %s', (bound, what) => {
  expect(limitOf(what).max).toBe(bounds.get(bound));
});

test('docs/limits.md lists every bound that a client can reach', () => {
  expect([...bounds.keys()].sort()).toEqual([...Object.keys(documented), ...internal].sort());
});

const HEADER = 'request line and header fields';
const ID = 'characters of an `X-Request-Id`';

test('docs/limits.md lists no limit that is not tested', () => {
  const tested = [HEADER, ID, ...Object.values(documented), ...Object.keys(examples)];
  expect(documentedLimits.filter((what) => !tested.includes(what))).toEqual([]);
});

test('docs/limits.md states the limits that have no name in the source', () => {
  expect(limitOf(HEADER).max).toBe(maxHeaderSize);
  const [, maxIdLength] = /USABLE_ID = .+\{1,(\d+)\}/.exec(read('http/incoming.ts')) ?? [];
  expect(limitOf(ID).max).toBe(Number(maxIdLength));
});
