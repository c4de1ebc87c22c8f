import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../src/engine/openapi/document.ts';
import { compileRoutes, type Endpoint } from '../../../src/engine/rest/compile.ts';
import { created, gql, ok, page, route, rows } from '../../../src/engine/rest/route.ts';
import { rowRoutes } from '../../../src/engine/rest/row-routes.ts';
import { count, described, schema, tag, texts } from '../../support/things.ts';

describe('a route that REST cannot serve makes the start fail, and the error says why', () => {
  test.each([
    ['an interface', gql`query one { anything { id } }`, /^one: anything returns Thing, an interface or a union/],
    ['a union', gql`query one { either { ... on Book { id } } }`, /^one: either returns Either, an interface/],
    ['an alias', gql`query one { book { ...Book } } fragment Book on Book { name: title }`, /^one: title has an alias/],
    ['an alias of the root field', gql`query one { found: bookCount }`, /^one: bookCount has an alias/],
    [
      'a directive',
      gql`query one { book { ...Book } } fragment Book on Book { id title @skip(if: true) }`,
      /^one: title has a directive/,
    ],
    [
      'an object in a row',
      gql`query one { book { ...B } } fragment B on Book { author { name } }`,
      /^one: .* Author is/,
    ],
    [
      'a field that the version of its row says nothing about',
      gql`query one { book { ...B version } } fragment B on Book { id stock }`,
      /^one: stock reads more than its row, so that its ETag would stay the same when it changes/,
    ],
    ['a row without a fragment', gql`query one { book { id } }`, /^one: A row must be selected by a fragment/],
    [
      'a field beside the fragment',
      gql`query one { book { ...B title } } fragment B on Book { id }`,
      /^one: title must be in the fragment B/,
    ],
    ['a custom scalar', gql`query one { colour }`, /^one: OpenAPI has no schema for the scalar Colour/],
    [
      'a list with null',
      gql`query one { holes }`,
      /^one: holes is a list whose items may be null, and REST has no null/,
    ],
    [
      'a schema with the name of another one',
      gql`query one { error { ...Error } } fragment Error on Error { id }`,
      /^OpenAPI has two schemas Error; name a list by plurals, or a row by its fragment\./,
    ],
  ])('%s', (_, operation, message) => {
    expect(() => described(operation)).toThrow(message);
  });

  const book = 'fragment Book on Book { id }';
  const next = 'nodes { ...Book } pageInfo { hasNextPage endCursor }';
  test.each([
    [
      'a list for a row',
      gql`query many { books { ...Book } } ${book}`,
      ok(),
      'books is a list of rows: reply with rows()',
    ],
    ['a list for a page', gql`query many { books { ...Book } } ${book}`, page(), 'books is a list of rows'],
    ['a row for a list', gql`query many { book { ...Book } } ${book}`, rows(), 'book is not a list: reply with ok()'],
    ['a page for a list', gql`query many { page { ${next} } } ${book}`, rows(), 'page is not a list: reply with ok()'],
    ['a list that may be null', gql`query many { noBooks { ...Book } } ${book}`, rows(), 'noBooks may be null'],
    [
      'a page of a union',
      gql`query many($after: String) { news(after: $after) { nodes { __typename } pageInfo { hasNextPage endCursor } } }`,
      page(),
      'The rows of its page must be of an object type, which Either is not.',
    ],
    ['a page that may be null', gql`query many { noPage { ${next} } } ${book}`, page(), 'noPage may be null'],
    [
      'a page without the next cursor',
      gql`query many { page { nodes { ...Book } pageInfo { hasNextPage } } } ${book}`,
      page(),
      'page must be selected with pageInfo.endCursor, which the reply needs',
    ],
    [
      'a page whose next page cannot be asked for',
      gql`query many($first: Int, $after: String) { page(first: $first, before: $after) { ${next} } } ${book}`,
      page(),
      'page needs $after for its argument after',
    ],
    [
      'a path of a new row with a field that may be null',
      gql`query many { book { ...Book } } fragment Book on Book { price }`,
      created('/books/{price}'),
      'book has a field price that may be null',
    ],
    ['a list of lists of enum values', gql`query many { moves }`, rows(), 'moves is a list of lists'],
    ['a list of lists with null', gql`query many { gaps }`, rows(), 'gaps is a list whose items may be null'],
    [
      'a path of a new row with a field that it lacks',
      gql`query many { book { ...Book } } ${book}`,
      created('/books/{isbn}'),
      'book must be selected with isbn',
    ],
  ])('%s', (_, operation, reply, message) => {
    expect(() => described(operation, reply)).toThrow(`many: ${message}`);
  });

  test.each(['plants', '/plants/', '/plants/{id', '/', '/plants:water', '/plants*'])('the path %s', (path) => {
    const routes = [route('GET', path, { tag: '', operation: gql`query many { bookCount }`, reply: ok() })];
    expect(() => compileRoutes(schema, routes)).toThrow(`many: ${path} is not a path such as /plants/{plantId}.`);
  });

  test('a mutation that GET would do', () => {
    const changing = buildSchema('type Query { plants: Int } type Mutation { plant: Int }');
    const routes = [route('GET', '/plants', { tag: '', operation: gql`mutation plant { plant }`, reply: ok() })];
    expect(() => compileRoutes(changing, routes)).toThrow('plant: GET /plants needs a query.');
  });

  test('two input objects', () => {
    const operation = gql`query many($wish: Wish, $tree: Wish) { two(wish: $wish, tree: $tree) }`;
    expect(() => described(operation, ok(), 'POST')).toThrow('many: $wish and $tree would both be the body');
  });

  test('a list and its rows with one name', () => {
    const operation = gql`query listBook { books { ...Book } } fragment Book on Book { id }`;
    expect(() => described(operation, rows())).toThrow('listBook: OpenAPI has two schemas Book;');
  });

  test.each([
    ['parameters', { parameters: { limt: 'How many.' } }],
    ['read-only fields', { readOnly: ['limt'] }],
  ])('%s that it does not have', (_, misspelt) => {
    const routes = [route('GET', '/a', { tag, operation: gql`query one { bookCount }`, reply: ok(), ...misspelt })];
    expect(() => compileRoutes(schema, routes)).toThrow('one: /a describes limt, but there is no $limt.');
  });

  test('a tag that no resource has', () => {
    const other = route('GET', '/a', { tag: 'Thing', operation: gql`query two { bookCount }`, reply: ok() });
    expect(() => described(count, ok(), 'GET', [other])).toThrow('two: no resource has the tag Thing in its tags.');
  });

  test('two errors with one code', () => {
    const failing = (path: string, name: string, title: string) => {
      const errors = [{ code: 'SOLD_OUT', status: 418, title }];
      return route('GET', path, { tag, operation: gql`query ${name} { bookCount }`, reply: ok(), errors });
    };
    const endpoints = compileRoutes(schema, [failing('/a', 'one', 'Sold out'), failing('/b', 'two', 'None left')]);
    expect(() => openApiDocument(endpoints, texts)).toThrow('two: OpenAPI has two responses with the name SoldOut.');
  });

  test.each(['examples', 'plurals', 'optional'])('%s of what does not exist', (text) => {
    const document = () => openApiDocument([], { ...texts, [text]: { Bok: [] } });
    expect(document).toThrow('OpenAPI has no schema and no operation Bok, which a resource describes.');
  });

  test('an input object that contains itself', () => {
    const operation = gql`query many($tree: Tree) { plant(tree: $tree) }`;
    expect(() => described(operation, ok(), 'POST')).toThrow('Tree contains itself, which the body of a REST request');
    const through = gql`query many($root: Root) { grown(root: $root) }`;
    expect(() => described(through, ok(), 'POST')).toThrow('Root contains itself');
  });

  const given = gql`query one($ratio: Float, $id: ID, $wish: Wish) { given(ratio: $ratio, id: $id, wish: $wish) }`;
  const row = (fields: string, name = 'one') => gql`query ${name} { book { ...B } } fragment B on Book { ${fields} }`;
  test.each([
    ['a path with an unknown variable', [['/a/{id}', count]], 'one: /a/{id} has {id}, but there is no $id.'],
    ['a misspelt field', [['/a', gql`query one { bookCont }`]], 'one: Cannot query field "bookCont" on type "Query"'],
    ['two root fields', [['/a', gql`query one { bookCount titles }`]], 'The operation one of /a needs one root field.'],
    ['an operation without a name', [['/a', gql`{ bookCount }`]], 'The route /a needs one operation, with a name.'],
    [
      'a variable within an argument',
      [['/a', gql`query one($sorts: [Sort!]) { given(wish: { sorts: $sorts }) }`]],
      'one: $sorts must go into an argument of given.',
    ],
    ['an input object of a GET', [['/a', given]], 'one: $wish would be the body, and GET has none.'],
    [
      'a parameter that is a list of lists',
      [['/a', gql`query one($at: [[Int!]!]) { cells(at: $at) }`]],
      'The variable $at cannot be a parameter.',
    ],
    [
      'a list in a path',
      [['/a/{of}', gql`query one($of: [ID!]) { cells(of: $of) }`]],
      'The variable $of is a list, and a path has one value for it.',
    ],
    [
      'two operations of one name',
      [
        ['/a', count],
        ['/b', count],
      ],
      'There are two operations one.',
    ],
    [
      'two operations of one address',
      [
        ['/a', count],
        ['/a', row('id', 'two')],
      ],
      'There are two operations GET /a.',
    ],
    [
      'two names of a variable',
      [
        ['/a/{id}', gql`query one($id: ID) { given(id: $id) }`],
        ['/a/{key}', gql`query two($key: ID) { given(id: $key) }`],
      ],
      'two: name the variables of /a/{key} as in /a/{id}.',
    ],
    [
      'two fragments of one name',
      [
        ['/a', row('id')],
        ['/b', row('id title', 'two')],
      ],
      'two: another route has a different fragment B; give this one its own name.',
    ],
  ] as const)('%s', (_, routes, message) => {
    const all = routes.map(([path, operation]) => route('GET', path, { tag: '', operation, reply: ok() }));
    expect(() => compileRoutes(schema, all)).toThrow(message);
  });
});

test('a default for an argument that a list does not have makes the start fail', () => {
  const lists = buildSchema(`
    type Query { books(first: Int, after: String, sort: String): Books! }
    type Books { nodes: [Book!]!, pageInfo: PageInfo! }
    type PageInfo { hasNextPage: Boolean!, endCursor: String }
    type Book { id: Int }
  `);
  const { list } = rowRoutes({ tag, type: 'Book', fields: 'id' });
  const compile = (defaults: Record<string, string>) =>
    compileRoutes(lists, [route('GET', '/books', list('books', defaults))]);
  expect(() => compile({ srot: '"id"' })).toThrow('books has no argument srot, which has a default.');
  const [{ queryVariables }] = compile({ sort: '"id"' }) as [Endpoint];
  expect(queryVariables.map(({ name, defaultValue }) => [name, defaultValue])).toEqual([
    ['sort', 'id'],
    ['limit', 20],
    ['after', undefined],
  ]);
});
