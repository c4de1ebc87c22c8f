import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBookshop } from '../../support/bookshop.ts';

const zone = process.env.TZ;
beforeAll(() => {
  // Days are in UTC wherever the service runs; in this time zone it is often tomorrow already.
  process.env.TZ = 'Pacific/Kiritimati';
});
afterAll(() => {
  process.env.TZ = zone;
});

const at = (instant: string) => () => new Date(instant);
const page = '<https://books.example/v1/lifecycle>';
const FIELDS = ['api-stability', 'deprecation', 'sunset', 'link', 'warning'];

function lifecycleOf({ headers }: { headers: Readonly<Record<string, string | undefined>> }): object {
  return Object.fromEntries(FIELDS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

const deprecatedBook = {
  'api-stability': 'deprecated',
  deprecation: '@1767225600',
  sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
  warning:
    '299 - "GET /books/{bookId} is deprecated since 2026-01-01 and served until 2026-12-31; use GET /books?id={bookId} instead"',
  link: `<https://books.example/v1/books?id=2>; rel="successor-version", ${page}; rel="deprecation"; type="text/html", ${page}; rel="sunset"`,
};

describe('a REST response', () => {
  const shop = openBookshop({ clock: at('2026-11-21T12:00:00Z') });

  test('of a deprecated operation has the dates (RFC 9745, RFC 8594) and the replacement (RFC 8288)', async () => {
    const answer = await shop.rest('GET', '/books/2');
    expect(answer.body).toEqual({ id: 2, title: 'Book 2', isbn: 'isbn-2', blurb: 'Good.' });
    expect(lifecycleOf(answer)).toEqual(deprecatedBook);
  });

  test('of a deprecated operation has them with every status, and for HEAD', async () => {
    expect(lifecycleOf(await shop.rest('HEAD', '/books/2'))).toEqual(deprecatedBook);
    expect(lifecycleOf(await shop.rest('GET', '/books/2?bogus=1'))).toEqual(deprecatedBook);
    expect(lifecycleOf(await shop.rest('GET', '/books/2', { accept: 'image/png' }))).toEqual(deprecatedBook);
    const missing = await shop.rest('GET', '/books/77');
    expect(missing.status).toBe(404);
    expect(lifecycleOf(missing)).toMatchObject({ sunset: deprecatedBook.sunset });
  });

  test('of an operation that is beta and deprecated says deprecated', async () => {
    expect(lifecycleOf(await shop.rest('GET', '/reviews'))).toMatchObject({
      'api-stability': 'deprecated',
      sunset: 'Tue, 01 Dec 2026 23:59:59 GMT',
    });
  });

  test('of an experimental operation says experimental, and nothing else', async () => {
    expect(lifecycleOf(await shop.rest('GET', '/drafts'))).toEqual({ 'api-stability': 'experimental' });
  });

  test('of a stable operation has no lifecycle fields, even if a deprecated parameter is used', async () => {
    expect(lifecycleOf(await shop.rest('GET', '/books'))).toEqual({});
    expect(lifecycleOf(await shop.rest('GET', '/books?title=x'))).toEqual({});
    expect(lifecycleOf(await shop.rest('OPTIONS', '/books/2'))).toEqual({});
  });
});

describe('a GraphQL response', () => {
  const shop = openBookshop({ clock: at('2026-11-21T12:00:00Z') });

  test('has the same header fields, with the earliest sunset, and lists all annotated elements', async () => {
    const { status, headers, body } = await shop.graphql('{ book(bookId: 2) { title isbn blurb score } }');
    expect([status, body.data]).toEqual([200, { book: { title: 'Book 2', isbn: 'isbn-2', blurb: 'Good.', score: 5 } }]);
    expect(lifecycleOf({ headers })).toEqual({
      'api-stability': 'deprecated',
      deprecation: '@1767225600',
      sunset: 'Sat, 31 Oct 2026 23:59:59 GMT',
      warning: '299 - "Book.isbn is deprecated since 2026-01-01 and served until 2026-10-31; use Book.id instead"',
      link: `<https://books.example/v1/graphql#Book.id>; rel="successor-version", ${page}; rel="deprecation"; type="text/html", ${page}; rel="sunset"`,
    });
    const why = 'It was the first try.';
    const since = '2026-01-01';
    expect(body.extensions.lifecycle).toEqual([
      { coordinate: 'Query.book', level: 'deprecated', since, sunset: '2026-12-31', successor: 'Query.books', why },
      { coordinate: 'Book.isbn', level: 'deprecated', since, sunset: '2026-10-31', successor: 'Book.id', why },
      { coordinate: 'Book.blurb', level: 'beta' },
      { coordinate: 'Book.score', level: 'experimental' },
    ]);
  });

  test('to a query with beta and experimental fields says experimental', async () => {
    expect(lifecycleOf(await shop.graphql('{ books { blurb } }'))).toEqual({ 'api-stability': 'beta' });
    expect(lifecycleOf(await shop.graphql('{ books { blurb score } }'))).toEqual({ 'api-stability': 'experimental' });
  });

  test('covers what the variables use, too', async () => {
    const query = 'query ($g: Genre, $t: String) { books(genre: $g, title: $t) { id } }';
    for (let run = 1; run <= 3; run++) {
      expect(lifecycleOf(await shop.graphql(query, { variables: { g: 'NOVEL' } }))).toEqual({});
      const used = await shop.graphql(query, { variables: { g: 'COMIC', t: 'x' } });
      expect(used.headers['api-stability']).toBe('deprecated');
      expect(used.body.extensions.lifecycle.map(({ coordinate }: { coordinate: string }) => coordinate)).toEqual([
        'Genre.COMIC',
        'Query.books(title:)',
      ]);
    }
  });

  test('has lifecycle fields also if the variables are invalid', async () => {
    const { body, headers } = await shop.graphql('query ($b: NewBook!) { drafts { id } book(bookId: 1) { id } } ', {});
    expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(lifecycleOf({ headers })).toEqual({});
    const late = await shop.graphql('query ($id: Int!) { book(bookId: $id) { id } }', { variables: { id: 'x' } });
    expect(late.body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect(late.headers['api-stability']).toBe('deprecated');
  });

  test.each<[string, unknown]>([
    ['an object for an enum value', { toString: 1, valueOf: 1 }],
    ['a list of lists', [[['COMIC']]]],
    ['a very long string', 'x'.repeat(900_000)],
    ['very many fields', Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`x${index}`, 1]))],
    ['a key of every object', { __proto__: null, constructor: 1 }],
  ])('comes fast, with an error, if a variable is %s', async (_, value) => {
    const start = performance.now();
    for (const query of [
      'query ($v: Genre) { books(genre: $v) { id } }',
      'mutation ($v: NewBook!) { addBook(book: $v) { id } }',
      'mutation ($v: [NewPart!]) { addBook(book: { title: "x", parts: $v }) { id } }',
    ]) {
      const { body } = await shop.graphql(query, { variables: { v: value } });
      expect(body.errors[0].extensions.status).toBeLessThan(500);
    }
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test('has no lifecycle information for introspection and for stable fields', async () => {
    for (const query of ['{ __schema { queryType { name } } }', '{ books { id } __typename }']) {
      const { body, headers } = await shop.graphql(query);
      expect(body).not.toHaveProperty('extensions');
      expect(lifecycleOf({ headers })).toEqual({});
    }
  });

  test('has the header fields but not the extension if the request says extensions.lifecycle: false', async () => {
    const quiet = await shop.graphql('{ drafts { id } }', { extensions: { lifecycle: false } });
    expect(quiet.body).toEqual({ data: { drafts: [] } });
    expect(lifecycleOf(quiet)).toEqual({ 'api-stability': 'experimental' });
    expect((await shop.graphql('{ drafts { id } }', { extensions: { other: 1 } })).body).toHaveProperty('extensions');
    const wrong = await shop.graphql('{ drafts { id } }', { extensions: { lifecycle: 'no' } });
    expect([wrong.status, wrong.body.errors[0].message, wrong.headers['api-stability']]).toEqual([
      400,
      'extensions.lifecycle must be true, or false to leave it out of the answer.',
      'experimental',
    ]);
  });
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

  test('of one coordinate does not affect others, and ends at the sunset', async () => {
    const only = [{ coordinate: 'Query.reviews', from, until: new Date('2026-12-24T00:00:00Z') }];
    const shop = openBookshop({ clock: at('2026-12-01T23:59:59Z'), brownouts: only });
    expect((await shop.rest('GET', '/reviews')).status).toBe(503);
    expect((await shop.rest('GET', '/books/2')).status).toBe(200);
    const later = openBookshop({ clock: at('2026-12-02T00:00:00Z'), brownouts: only });
    expect((await later.rest('GET', '/reviews')).status).toBe(200);
  });

  test('of an element that is not deprecated is rejected when the service starts', () => {
    expect(() => openBookshop({ brownouts: [{ coordinate: 'Query.books', from, until }] })).toThrow(
      'BROWNOUTS names Query.books, which is not deprecated; deprecated are: Genre.COMIC, ',
    );
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
    ['/books?shelf=x', 'shelf of GET /books is experimental. The request excludes it with API-Lifecycle: strict.'],
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
