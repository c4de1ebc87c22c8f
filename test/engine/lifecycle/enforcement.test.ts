import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLifecycleEnforcement } from '../../../src/engine/lifecycle/enforcement.ts';
import { openBookshop } from '../../support/bookshop.ts';
import { at, deprecatedBook, lifecycleOf } from './deprecated-book.ts';

const zone = process.env.TZ;
beforeAll(() => {
  // Days are in UTC wherever the service runs; in this time zone it is often tomorrow already.
  process.env.TZ = 'Pacific/Kiritimati';
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

describe('at the sunset', () => {
  const [before, last, after] = ['2026-12-31T23:59:58Z', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00Z'];

  test.each([before, last, after])('SUNSET=announce still serves at %s', async (instant) => {
    const shop = openBookshop({ clock: at(instant), sunset: 'announce' });
    expect((await shop.rest('GET', '/books/2')).status).toBe(200);
    expect((await shop.graphql('{ book(bookId: 2) { id } }')).body.data).toEqual({ book: { id: 2 } });
  });

  test.each([before, last])('SUNSET=enforce serves until the end of the day in UTC, at %s', async (instant) => {
    const shop = openBookshop({ clock: at(instant), sunset: 'enforce' });
    expect((await shop.rest('GET', '/books/2')).status).toBe(200);
    expect((await shop.graphql('{ book(bookId: 2) { id } }')).status).toBe(200);
  });

  test('SUNSET=enforce returns 410 GONE after that day, with the same header fields and the successor', async () => {
    const shop = openBookshop({ clock: at(after), sunset: 'enforce' });
    const gone = await shop.rest('GET', '/books/2');
    const message =
      'GET /books/{bookId} was served until 2026-12-31; use GET https://books.example/v1/books?id=2 instead.';
    expect([gone.status, gone.body]).toEqual([410, { code: 'GONE', message, status: 410 }]);
    expect(lifecycleOf(gone)).toEqual(deprecatedBook);
    expect((await shop.rest('GET', '/books/x?bogus=1')).status).toBe(410);
    expect((await shop.rest('GET', '/books?id=2')).status).toBe(200);

    const { status, body, headers } = await shop.graphql('{ books { id } book(bookId: 2) { id } }');
    expect([status, body.data]).toEqual([410, undefined]);
    expect(body.errors).toEqual([
      {
        message: 'Query.book was served until 2026-12-31; use Query.books instead.',
        extensions: { code: 'GONE', status: 410 },
      },
    ]);
    expect(headers.sunset).toBe(deprecatedBook.sunset);
  });

  test('SUNSET=enforce rejects a request with a parameter, body field or enum value past its sunset', async () => {
    const shop = openBookshop({ clock: at(after), sunset: 'enforce' });
    const used = await shop.rest('GET', '/books?title=x');
    expect([used.status, used.body.message]).toEqual([
      410,
      'title of GET /books was served until 2026-12-31; use name of GET /books instead.',
    ]);
    expect((await shop.rest('GET', '/books?name=x')).status).toBe(200);
    expect((await shop.rest('POST', '/books', {}, { title: 'x', pages: 3 })).body.code).toBe('GONE');
    expect((await shop.rest('POST', '/books', {}, { title: 'x', length: 3 })).status).toBe(200);
    expect((await shop.rest('GET', '/books?genre=COMIC')).body.code).toBe('GONE');
  });
});

describe('a brownout', () => {
  const [from, until] = [new Date('2026-11-24T10:00:00Z'), new Date('2026-11-24T10:15:00Z')];
  const brownouts = [{ coordinate: undefined, from, until }];

  test.each([
    ['2026-11-24T09:59:59.999Z', 200],
    ['2026-11-24T10:00:00Z', 503],
    ['2026-11-24T10:14:59.999Z', 503],
    ['2026-11-24T10:15:00Z', 200],
  ])('at %s gives the status %i', async (instant, status) => {
    const shop = openBookshop({ clock: at(instant), brownouts });
    expect((await shop.rest('GET', '/books/2')).status).toBe(status);
    expect((await shop.graphql('{ book(bookId: 2) { id } }')).status).toBe(status);
    expect((await shop.rest('GET', '/books')).status).toBe(200);
    expect((await shop.rest('GET', '/drafts')).status).toBe(200);
  });

  test('says when to retry, and what to use instead', async () => {
    const shop = openBookshop({ clock: at('2026-11-24T10:05:00.500Z'), brownouts });
    const failed = await shop.rest('GET', '/books/2');
    expect(failed.body).toEqual({
      code: 'BROWNOUT',
      message:
        'GET /books/{bookId} fails on purpose until 2026-11-24T10:15:00Z, to rehearse its sunset on 2026-12-31; use GET https://books.example/v1/books?id=2 instead.',
      status: 503,
    });
    expect(failed.headers['retry-after']).toBe('600');
    expect(lifecycleOf(failed)).toEqual(deprecatedBook);
    const { body, headers } = await shop.graphql('{ book(bookId: 2) { id } }');
    expect(body.errors[0].extensions).toEqual({ code: 'BROWNOUT', status: 503 });
    expect(headers['retry-after']).toBe('600');
  });

  test('says when the last of those that overlap ends, even if it has not begun', async () => {
    const [begins, ends] = [new Date('2026-11-24T10:10:00Z'), new Date('2026-11-24T11:00:00Z')];
    const longer = { coordinate: 'Query.book', from: begins, until: ends };
    const shop = openBookshop({ clock: at('2026-11-24T10:05:00Z'), brownouts: [...brownouts, longer] });
    const { headers, body } = await shop.rest('GET', '/books/2');
    expect(headers['retry-after']).toBe('3300');
    expect(body.message).toContain('until 2026-11-24T11:00:00Z');
  });

  test('of one coordinate does not affect others, and ends at the sunset', async () => {
    const only = [{ coordinate: 'Query.reviews', from, until: new Date('2026-12-24T00:00:00Z') }];
    const shop = openBookshop({ clock: at('2026-12-01T23:59:59Z'), brownouts: only });
    expect((await shop.rest('GET', '/reviews')).status).toBe(503);
    expect((await shop.rest('GET', '/books/2')).status).toBe(200);
    const later = openBookshop({ clock: at('2026-12-02T00:00:00Z'), brownouts: only });
    expect((await later.rest('GET', '/reviews')).status).toBe(200);
  });

  test('of a value names the successor of the value, not that of a deprecated operation that takes it', async () => {
    const shop = openBookshop({
      clock: at(from.toISOString()),
      brownouts: [{ coordinate: 'Genre.COMIC', from, until }],
    });
    expect((await shop.rest('GET', '/reviews?genre=COMIC')).body.message).toMatch(/^Genre\.COMIC .* use Genre\.NOVEL /);
  });

  test('gives way to GONE in a request that also uses something past its sunset', async () => {
    const only = [{ coordinate: 'Query.book', from, until: new Date('2026-12-24T00:00:00Z') }];
    const shop = openBookshop({ clock: at('2026-12-02T00:00:00Z'), brownouts: only, sunset: 'enforce' });
    const { body } = await shop.graphql('{ book(bookId: 2) { id } reviews { id } }');
    expect(body.errors[0].extensions.code).toBe('GONE');
  });

  test('of an element that is not deprecated is rejected when the service starts', () => {
    const brownouts = ['Query.books', 'Query.nothing'].map((coordinate) => ({ coordinate, from, until }));
    expect(() => openBookshop({ brownouts })).toThrow(
      'BROWNOUTS names what is not deprecated: Query.books, Query.nothing; the deprecated elements are: Genre.COMIC, ',
    );
    const rules = { clock: at('2026-12-02T00:00:00Z'), isRehearsal: false, sunset: 'announce' } as const;
    expect(() => createLifecycleEnforcement({ ...rules, brownouts }, [], () => {})).toThrow(/elements are: none\.$/);
  });
});

describe('API-Lifecycle: strict', () => {
  const shop = openBookshop({ clock: at('2026-11-21T12:00:00Z') });
  const strict = { 'api-lifecycle': 'strict' };

  test.each([
    [
      '/books/2',
      'GET /books/{bookId} is deprecated and served until 2026-12-31; use GET https://books.example/v1/books?id=2 instead. The request excludes it with API-Lifecycle: strict.',
    ],
    ['/drafts', 'GET /drafts is experimental. The request excludes it with API-Lifecycle: strict.'],
    [
      '/books?title=x',
      'title of GET /books is deprecated and served until 2026-12-31; use name of GET /books instead. The request excludes it with API-Lifecycle: strict.',
    ],
    [
      '/books?series=1',
      'series of GET /books is deprecated and served until 2026-12-31; use GET /series/{seriesId} instead. The request excludes it with API-Lifecycle: strict.',
    ],
    ['/books?shelf=x', 'shelf of GET /books is experimental. The request excludes it with API-Lifecycle: strict.'],
    [
      '/books?title=x&shelf=x',
      'title of GET /books is deprecated and served until 2026-12-31; use name of GET /books instead. shelf of GET /books is experimental. The request excludes them with API-Lifecycle: strict.',
    ],
  ])('rejects %s, and says what the request must not use', async (target, message) => {
    const rejected = await shop.rest('GET', target, strict);
    expect([rejected.status, rejected.body]).toEqual([400, { code: 'LIFECYCLE_STRICT', message, status: 400 }]);
  });

  test('rejects a GraphQL query for an experimental field', async () => {
    const { status, body } = await shop.graphql('{ books { score } }', {}, strict);
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({
      message: 'Book.score is experimental. The request excludes it with API-Lifecycle: strict.',
      extensions: { code: 'LIFECYCLE_STRICT', status: 400 },
    });
  });

  test('names all that a GraphQL document must not use', async () => {
    const { body } = await shop.graphql('{ books { score } drafts { id } book(bookId: 2) { id } }', {}, strict);
    expect(body.errors[0].message).toBe(
      'Book.score is experimental. Query.drafts is experimental. Query.book is deprecated and served until 2026-12-31; use Query.books instead. The request excludes them with API-Lifecycle: strict.',
    );
  });

  test.each(['Strict', 'strict, strict', '', 'on'])(
    'cannot be "%s"; that error has the lifecycle fields too',
    async (value) => {
      const wrong = await shop.rest('GET', '/books/2', { 'api-lifecycle': value });
      const message = 'The API-Lifecycle field must be strict.';
      expect([wrong.status, wrong.body]).toEqual([400, { code: 'INVALID_ARGUMENT', message, status: 400 }]);
      expect(lifecycleOf(wrong)).toEqual(deprecatedBook);
      expect((await shop.rest('GET', '/books', { 'api-lifecycle': value })).status).toBe(400);
      const { status, body, headers } = await shop.graphql('{ drafts { id } }', {}, { 'api-lifecycle': value });
      expect([status, body.errors[0].message, headers['api-stability']]).toEqual([400, message, 'experimental']);
    },
  );

  test('accepts stable and beta elements', async () => {
    expect((await shop.rest('GET', '/books', strict)).status).toBe(200);
    expect((await shop.graphql('{ books { blurb } }', {}, strict)).status).toBe(200);
  });
});

describe('uses are counted', () => {
  test('of operations, arguments, input fields and enum values, rejected or not', async () => {
    const shop = openBookshop({ clock: at('2027-01-01T00:00:00Z'), sunset: 'enforce' });
    await shop.rest('GET', '/books/2');
    await shop.rest('GET', '/books?genre=ZINE&shelf=x');
    await shop.rest('POST', '/books', { 'api-client': 'shop' }, { title: 'x', parts: [{ name: 'a', note: 'b' }] });
    await shop.graphql('{ books { score } }', {}, { 'api-client': 'shop' });
    await shop.rest('GET', '/books');
    await shop.graphql('{ books { id } }');
    expect(shop.uses).toEqual([
      'Query.book test',
      'Genre.ZINE test',
      'Query.books(shelf:) test',
      'NewPart.note shop',
      'Book.score shop',
    ]);
  });

  test.each([
    [{ 'api-client': 'shop-app', 'apollographql-client-name': 'other', 'user-agent': 'curl/8.5.0' }, 'shop-app'],
    [{ 'apollographql-client-name': 'web', 'user-agent': 'curl/8.5.0' }, 'web'],
    [{ 'user-agent': 'curl/8.5.0' }, 'curl'],
    [{ 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140' }, 'Mozilla'],
    [{ 'user-agent': '' }, '(unknown)'],
    [{ 'api-client': '', 'user-agent': 'curl/8.5.0' }, 'curl'],
    [{ 'api-client': '<script>alert(1)</script>' }, 'script-alert-1-/script'],
    [{ 'api-client': 'a b\tc' }, 'a-b-c'],
    [{ 'api-client': '(others)' }, 'others'],
    [{ 'api-client': '"; drop table pets; --' }, 'drop-table-pets'],
    [{ 'api-client': 'x'.repeat(5_000) }, 'x'.repeat(64)],
    [{ 'api-client': 'caf\u00e9' }, 'caf'],
    [{ 'api-client': '???' }, '(unknown)'],
  ])('under a name that is safe to show, for %j', async (fields, client) => {
    const shop = openBookshop();
    await shop.rest('GET', '/drafts', fields as Record<string, string>);
    expect(shop.uses).toEqual([`Query.drafts ${client}`]);
  });
});
