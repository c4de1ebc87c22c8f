import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../src/engine/openapi/document.ts';
import { compileRoutes } from '../../../src/engine/rest/compile.ts';
import { bookRoutes, bookSchema } from '../../support/books.ts';
import { openBookshop } from '../../support/bookshop.ts';
import { at, deprecatedBook, lifecycleOf, page } from './deprecated-book.ts';

const zone = process.env.TZ;
beforeAll(() => {
  // Days are in UTC wherever the service runs; in this time zone it is often tomorrow already.
  process.env.TZ = 'Pacific/Kiritimati';
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const document = openApiDocument(compileRoutes(bookSchema, bookRoutes), {
  ...{ title: 'Books', basePath: '', version: '1.0.0', description: 'Books.', examples: {}, optional: {} },
  ...{ plurals: {}, tagGroups: { Shop: { Books: 'Books.' } } },
  headerExamples: { 'WWW-Authenticate': '', Location: '', Link: '', Warning: '' },
}) as {
  readonly paths: Readonly<
    Record<string, { get: { parameters: { name: string }[]; responses: Record<number, { headers: object }> } }>
  >;
};

test.each([
  ['title', 'name of GET /books'],
  ['series', 'GET /series/{seriesId}'],
])('OpenAPI names what replaces the parameter %s as clients of REST know it: %s', (parameter, name) => {
  const { parameters = [] } = document.paths['/books']?.get ?? {};
  expect(parameters.find((one) => one.name === parameter)).toMatchObject({ deprecated: true, 'x-successor': { name } });
});

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

  test('of a deprecated operation links to the whole replacement if the path is invalid', async () => {
    const answer = await shop.rest('GET', '/books/x');
    const link = deprecatedBook.link.replace('/books?id=2>', '/books>');
    expect([answer.status, lifecycleOf(answer)]).toEqual([400, { ...deprecatedBook, link }]);
  });

  test('of an operation that is beta and deprecated says deprecated', async () => {
    expect(lifecycleOf(await shop.rest('GET', '/reviews'))).toMatchObject({
      'api-stability': 'deprecated',
      sunset: 'Tue, 01 Dec 2026 23:59:59 GMT',
    });
  });

  test.each([
    ['/books/{bookId}', '/books/2'],
    ['/reviews', '/reviews'],
    ['/drafts', '/drafts'],
    ['/books', '/books'],
  ])('of %s has the header fields that OpenAPI lists', async (path, target) => {
    const listed = Object.keys(document.paths[path]?.get.responses[200]?.headers ?? {});
    const fields = Object.keys(lifecycleOf(await shop.rest('GET', target)));
    const headers = Object.fromEntries(listed.map((name) => [name.toLowerCase(), name]));
    expect(Object.keys(lifecycleOf({ headers }))).toEqual(fields);
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
      'extensions.lifecycle must be true, or false to leave it out of the response.',
      'experimental',
    ]);
  });
});
