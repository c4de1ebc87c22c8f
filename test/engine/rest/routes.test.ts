import {
  assertEnumType,
  assertInputObjectType,
  assertObjectType,
  assertScalarType,
  buildSchema,
  GraphQLScalarType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import type { IncomingRequest } from '../../../src/engine/http/incoming.ts';
import { deprecated } from '../../../src/engine/lifecycle/annotation.ts';
import { openApiDocument } from '../../../src/engine/openapi/document.ts';
import { Components, leafSchema } from '../../../src/engine/openapi/schemas.ts';
import { EndpointCall } from '../../../src/engine/rest/call.ts';
import { compileRoutes, type Endpoint } from '../../../src/engine/rest/compile.ts';
import { created, gql, ok, page, type Reply, type Route, route, rows } from '../../../src/engine/rest/route.ts';
import { integerFrom, text } from '../../../src/engine/schema/bounds.ts';
import { bookSchema } from '../../support/books.ts';

const schema = buildSchema(`
  type Query { bookCount: Int!  titles: [String!]!  book: Book  books: [Book!]!  anything: Thing  either: Either }
  interface Thing { id: ID! }
  type Book implements Thing { id: ID!  title: String!  price: Float  tags: [String!]!  author: Author!  stock: Int!  version: Int! }
  type Author { name: String! }
  union Either = Book | Author
  scalar Colour
  enum Sort { id id_desc }
  input Wish { "How." sorts: [Sort!] = [id_desc, id]  "Many." many: Int! = 1  best: Sort }
  type Page { nodes: [Book!]!  pageInfo: PageInfo! }
  type News { nodes: [Either!]!  pageInfo: PageInfo! }
  extend type Query { news(after: String): News! }
  type PageInfo { hasNextPage: Boolean!  endCursor: String }
  input Tree { branches: [Tree!] }
  type Shelf { sort: Sort  sorts: [Sort!] }
  extend type Query { shelves: [Shelf!]! }
  input Root { trees: [Forest!] }
  input Forest { root: Root }
  extend type Query { plant(tree: Tree): Int!  given(ratio: Float, count: Int, id: ID, wish: Wish): Int!  page(first: Int, after: String, before: String): Page!  noPage: Page  noBooks: [Book!] }
  type Error { id: ID! }
  input Key @oneOf { id: ID  title: String }
  scalar Shade  scalar Percent  scalar Words
  extend type Query { painted(shade: Shade, percent: Percent, words: Words): Int! }
  enum Genre { NOVEL COMIC }
  extend type Query { shelved(genre: Genre): Int! }
  extend type Query { grid: [[Int!]!]!  moves: [[Sort!]!]!  gaps: [[Int]!]!  cells(at: [[Int!]!], of: [ID!]): Int! }
  input Deep { "W." wish: Wish = { best: id_desc, many: 2 }  "G." grid: [[Int!]!] = [[1], [2, 3]] }
  extend type Query { deep(deep: Deep, many: Int = 3, shade: Shade): Int! }
  type Poll { totalCount: Int!  id: ID! }
  extend type Query { poll: Poll!  polls: [Poll!]! }
  extend type Query { found(key: Key!): Int!  grown(root: Root): Int! }
  extend type Query { error: Error  holes: [Int]!  two(wish: Wish, tree: Wish): Int! }
  extend type Query {
    colour: Colour!  best: Sort  sorts: [Sort!]
    search(tags: [String!], pages: [Int!], sort: Sort, wish: Wish): [String!]!
  }
`);
for (const [name, parse] of [
  ['Shade', (value: unknown) => ({ red: /^#(.+)/.exec(assertType('string', value))?.[1] ?? fail() })],
  ['Percent', (value: unknown) => assertType('number', value)],
  ['Words', (value: unknown) => assertType('string', value)],
] as const) {
  assertScalarType(schema.getType(name)).parseValue = parse;
}
const shade = assertScalarType(schema.getType('Shade'));
shade.parseLiteral = (node) => shade.parseValue('value' in node ? node.value : undefined);
shade.serialize = (value) => `#${(value as { readonly red: string }).red}`;
shade.extensions = { jsonSchema: { type: 'string' } };
for (const argument of schema.getQueryType()?.getFields().search?.args ?? []) {
  argument.extensions = { bounds: argument.name === 'tags' ? text({ min: 1, max: 20 }) : integerFrom(1, 9) };
}
const comic = assertEnumType(schema.getType('Genre')).getValue('COMIC');
if (comic != null)
  comic.extensions = {
    lifecycle: deprecated({
      since: '2026-07-01',
      sunset: '2027-12-31',
      successor: { coordinate: 'Genre.NOVEL' },
      why: 'They are novels.',
    }),
  };
const sortsOfWish = assertInputObjectType(schema.getType('Wish')).getFields().sorts;
if (sortsOfWish !== undefined)
  sortsOfWish.extensions = {
    lifecycle: deprecated({
      since: '2026-07-01',
      sunset: '2027-12-31',
      successor: { coordinate: 'Wish.best' },
      why: 'One is enough.',
    }),
  };

const { stock } = assertObjectType(schema.getType('Book')).getFields();
if (stock !== undefined) stock.resolve = (_, __, context) => context.stockOf();

function assertType(type: string, value: unknown): string {
  return typeof value === type ? (value as string) : fail();
}

function fail(): never {
  throw new Error('It is not of this type.');
}

const tag = 'Things';
const count = gql`query one { bookCount }`;
const texts = {
  title: 'Things',
  version: '1.0.0',
  description: 'Things.',
  basePath: '',
  tagGroups: { Shop: { Things: 'Things.' } },
  examples: {},
  plurals: {},
  optional: {},
  headerExamples: { 'WWW-Authenticate': '', Location: '', Link: '', Warning: '' },
};

/** The schemas that OpenAPI has for one route, beside others. */
function described(
  operation: ReturnType<typeof gql>,
  reply: Reply = ok(),
  method: 'GET' | 'POST' = 'GET',
  others: readonly Route[] = [],
) {
  const endpoints = compileRoutes(schema, [route(method, '/things', { tag, operation, reply }), ...others]);
  const document = openApiDocument(endpoints, texts) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  const { responses, parameters } = document.paths['/things']?.[method.toLowerCase()] ?? {
    responses: {},
    parameters: [],
  };
  return {
    responses,
    parameters: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
    body: responses[200]?.content['application/json'].schema,
    schemas: document.components.schemas,
  };
}

type Responses = Readonly<Record<string, { readonly content: { readonly 'application/json': { schema: unknown } } }>>;

interface Operation {
  readonly responses: Responses;
  readonly parameters: readonly { readonly name: string; readonly schema: unknown }[];
}

describe('OpenAPI describes the parameters of a route', () => {
  test('with the bounds of the items of a list', () => {
    const { parameters } = described(
      gql`query many($tags: [String!], $pages: [Int!]) { search(tags: $tags, pages: $pages) }`,
      rows(),
    );
    const tag = { type: 'string', minLength: 1, pattern: '\\S', maxLength: 20 };
    expect(parameters.tags).toEqual({ type: 'array', items: tag });
    expect(parameters.pages).toEqual({
      type: 'array',
      items: { type: 'integer', format: 'int32', minimum: 1, maximum: 9 },
    });
  });

  test('with the default that the argument has, if its variable has none', () => {
    const { parameters } = described(gql`query one($many: Int) { deep(many: $many) }`);
    expect(parameters.many).toMatchObject({ default: 3 });
  });

  test('with those of the path as required, also if GraphQL does not need them', () => {
    const operation = gql`query one($id: ID, $count: Int! = 3) { given(id: $id, count: $count) }`;
    const endpoints = compileRoutes(schema, [route('GET', '/things/{id}', { tag, operation, reply: ok() })]);
    expect(openApiDocument(endpoints, texts)).toHaveProperty(
      ['paths', '/things/{id}', 'get', 'parameters'],
      expect.arrayContaining([
        expect.objectContaining({ name: 'id', in: 'path', required: true }),
        expect.objectContaining({ name: 'count', in: 'query', required: false }),
      ]),
    );
  });
});

test.each([
  ['ratio', '-1.5e3', -1500],
  ['ratio', '7', 7],
  ['ratio', '1e999', 'a number'],
  ['ratio', '', 'a number'],
  ['ratio', '0x1', 'a number'],
  ['count', '2147483647', 2_147_483_647],
  ['count', '2147483648', 'an integer from -2147483648 to 2147483647'],
  ['count', '1.0', 'an integer'],
])('a parameter can be a number: %s=%s', (name, text, expected) => {
  const operation = gql`query one($ratio: Float, $count: Int) { given(ratio: $ratio, count: $count) }`;
  const [endpoint] = compileRoutes(schema, [route('GET', `/a/{${name}}`, { tag: '', operation, reply: ok() })]);
  const read = () => endpoint?.readPath({ [name]: text });
  if (typeof expected === 'string') expect(read).toThrow(`${name} must be ${expected}`);
  else expect(read()).toEqual({ [name]: expected });
});

describe('a parameter can be a custom scalar', () => {
  const read = (search: string) => {
    const operation = gql`query one($shade: Shade, $percent: Percent, $words: Words) {
      painted(shade: $shade, percent: $percent, words: $words)
    }`;
    const [endpoint] = compileRoutes(schema, [route('GET', '/a', { tag: '', operation, reply: ok() })]) as [Endpoint];
    const request = { headers: new Headers(), search } as unknown as IncomingRequest;
    return endpoint.read(new EndpointCall(request, endpoint.readPath, {}));
  };

  test.each([
    ['as the text that the client sent, whatever it is parsed to', 'shade=%23fff', { shade: '#fff' }],
    ['that is a number in JSON', 'percent=5', { percent: 5 }],
    ['with spaces, if it accepts them', 'words=a+b%20c', { words: 'a b c' }],
  ])('%s', async (_, search, variables) => {
    expect(await read(search)).toEqual(variables);
  });

  test.each(['shade=fff', 'percent=five', 'percent='])('unless it rejects the value: %s', async (search) => {
    await expect(read(search)).rejects.toThrow('must be of type');
  });
});

test('a body of which one field is to be given says so', () => {
  const { schemas } = described(gql`query one($key: Key!) { found(key: $key) }`, ok(), 'POST');
  expect(schemas.Key).toMatchObject({ minProperties: 1, maxProperties: 1 });
});

test('a field of a body that has a default need not be sent, even where it must not be null', async () => {
  const operation = gql`query many($wish: Wish!) { search(wish: $wish) }`;
  const { schemas } = described(operation, rows(), 'POST');
  expect(schemas.Wish).not.toHaveProperty('required');
  expect(schemas.Wish).toHaveProperty('properties.many.description', 'Many. Default: `1`.');
});

describe('a value of an enum has its name on REST', () => {
  const operation = gql`query many($sort: Sort = id_desc, $wish: Wish!) { search(sort: $sort, wish: $wish) }`;

  test('in the default of a parameter, and of a field of a body', () => {
    const { parameters, schemas } = described(operation, rows(), 'POST');
    expect(parameters.sort).toMatchObject({ enum: ['id', '-id'], default: '-id' });
    expect(schemas.Wish).toMatchObject({ properties: { sorts: { description: 'How. Default: `["-id","id"]`.' } } });
  });

  test('in the default of a whole input; and a scalar has there what clients send', () => {
    const operation = gql`query one($shade: Shade = "#fff", $deep: Deep) { deep(shade: $shade, deep: $deep) }`;
    const { parameters, schemas } = described(operation, ok(), 'POST');
    expect(parameters.shade).toMatchObject({ default: '#fff' });
    expect(schemas.Deep).toMatchObject({
      properties: {
        wish: { description: 'W. Default: `{"sorts":["-id","id"],"many":2,"best":"-id"}`.' },
        grid: { description: 'G. Default: `[[1],[2,3]]`.' },
      },
    });
  });

  test.each([
    [
      'also beside its input',
      '{ "sort": "-id", "sorts": ["-id", "id"] }',
      { sort: 'id_desc', wish: { sorts: ['id_desc', 'id'] } },
    ],
    ['and null remains null', 'null', { wish: null }],
    ['also in it', '{ "best": null, "sorts": null }', { wish: { best: null, sorts: null } }],
  ])('in a body, %s', async (_, body, variables) => {
    const operation = gql`query many($sort: Sort, $wish: Wish) { search(sort: $sort, wish: $wish) }`;
    const options = { tag: '', operation, reply: rows(), readOnly: ['sort'] };
    const [endpoint] = compileRoutes(schema, [route('POST', '/things', options)]) as [Endpoint];
    const request = {
      headers: new Headers({ 'content-type': 'application/json' }),
      search: '',
      meter: { chargeBody: () => undefined },
      readBody: async () => Buffer.from(body),
    } as unknown as IncomingRequest;
    expect(await endpoint.read(new EndpointCall(request, endpoint.readPath, {}))).toStrictEqual(variables);
  });

  test.each([
    ['a value', gql`query one { best }`, { best: 'id_desc' }, '-id'],
    ['a list', gql`query one { sorts }`, { sorts: ['id', 'id_desc'] }, ['id', '-id']],
  ])('in a response that is %s', (_, operation, data, body) => {
    const [endpoint] = compileRoutes(schema, [route('GET', '/things', { tag: '', operation, reply: ok() })]);
    const context = { address: String, nextPage: String };
    expect(endpoint?.toAnswer({ data }, {}, context).body).toEqual(body);
    expect(() => endpoint?.toAnswer({ data: { best: null, sorts: null } }, {}, context)).toThrow('no such row');
  });
});

test('the rows of a response have the names of REST, and no fields that are null', () => {
  const operation = gql`query many { shelves { ...Shelf } } fragment Shelf on Shelf { sort sorts }`;
  const [endpoint] = compileRoutes(schema, [route('GET', '/things', { tag: '', operation, reply: rows() })]);
  const data = {
    shelves: [
      { sort: 'id_desc', sorts: ['id', 'id_desc'] },
      { sort: null, sorts: null },
    ],
  };
  expect(endpoint?.toAnswer({ data }, {}, { address: String, nextPage: String }).body).toEqual([
    { sort: '-id', sorts: ['id', '-id'] },
    {},
  ]);
});

test.each([
  ['creates a row', created('/polls/{id}'), /cannot be used here, because the row does not exist yet\.$/],
  ['creates none', ok(), /cannot be used here\.$/],
])('If-Match is rejected by a POST that %s', async (_, reply, message) => {
  const operation = gql`query one { poll { id } }`;
  const [endpoint] = compileRoutes(schema, [route('POST', '/polls', { tag: '', operation, reply })]) as [Endpoint];
  const headers = new Headers({ 'if-match': '"1"' });
  const readBody = async () => Buffer.from('');
  const request = { headers, search: '', meter: {}, readBody } as unknown as IncomingRequest;
  await expect(endpoint.read(new EndpointCall(request, endpoint.readPath, {}))).rejects.toThrow(message);
});

test.each([
  ['a row', gql`query one { poll { ...Poll } } fragment Poll on Poll { id }`, ok()],
  ['a list of rows', gql`query one { polls { ...Poll } } fragment Poll on Poll { id }`, rows()],
])('only a page has a total: %s with a field totalCount has it only if the route selects it', (_, operation, reply) => {
  const [endpoint] = compileRoutes(schema, [route('GET', '/polls', { tag: '', operation, reply })]);
  expect(endpoint?.preparedWithTotal).toBeUndefined();
});

test('the entity tag of a row is another one with another field, as after a release that adds one', () => {
  const tagOf = (fields: string) => {
    const operation = gql`query one { book { ${fields} version } }`;
    const [endpoint] = compileRoutes(schema, [route('GET', '/things', { tag: '', operation, reply: ok() })]);
    const data = { book: { id: '7', title: 'Emma', version: 3 } };
    return endpoint?.toAnswer({ data }, {}, { address: String, nextPage: String }).etag;
  };
  expect(tagOf('id')).toMatch(/^"3-/);
  expect(tagOf('id title')).not.toBe(tagOf('id'));
  expect(tagOf('id title')).toBe(tagOf('id title'));
});

test("a route's own defaults for its variables are no uses of the client", () => {
  const operation = gql`query one($s: String = "a", $g: Genre = COMIC) { books(shelf: $s, genre: $g) { id } }`;
  const [endpoint] = compileRoutes(bookSchema, [route('GET', '/books', { tag: '', operation, reply: rows() })]);
  const { always, given } = endpoint?.prepared.uses ?? expect.fail();
  expect([always, given({})]).toEqual([[], []]);
  expect(given({ s: 'b', g: 'ZINE' }).map(({ coordinate }) => coordinate)).toEqual([
    'Genre.ZINE',
    'Query.books(shelf:)',
  ]);
});

describe('OpenAPI describes the response of a route', () => {
  test('with a scalar', () => {
    expect(described(gql`query one { bookCount }`).body).toEqual({ type: 'integer', format: 'int32' });
  });

  test('with 304 and 412 only if it has an entity tag', () => {
    const statuses = ['200', '304', '412'];
    const statusesOf = (operation: ReturnType<typeof gql>, reply?: Reply) =>
      statuses.filter((status) => status in described(operation, reply).responses);
    expect(statusesOf(gql`query one { bookCount }`)).toEqual(['200']);
    expect(statusesOf(gql`query many { titles }`, rows())).toEqual(statuses);
    expect(statusesOf(gql`query one { book { ...Book version } } fragment Book on Book { id }`)).toEqual(statuses);
  });

  test('with its own 304 for a whole list and for a page, which has Link', () => {
    const operation = gql`query paged($after: String) { page(after: $after) { nodes { ...Book } pageInfo { hasNextPage endCursor } } } fragment Book on Book { id }`;
    const paged = route('GET', '/pages', { tag: 'Things', operation, reply: page() });
    const { responses } = described(gql`query many { titles }`, rows(), 'GET', [paged]);
    expect(responses[304]).toEqual({ $ref: '#/components/responses/NotModifiedRows' });
  });

  test('with the errors of a deprecated field in its input: those of its sunset, and of a brownout', () => {
    const operation = gql`query one($wish: Wish) { given(wish: $wish) }`;
    const { responses } = described(operation, ok(), 'POST');
    expect(responses[410]).toEqual({ $ref: expect.stringContaining('Gone') });
    expect(responses[503]).toEqual({ $ref: expect.stringContaining('Brownout') });
    expect(described(gql`query one { bookCount }`).responses).not.toHaveProperty('410');
  });

  test('with those of a deprecated value of an enum in its path', () => {
    const operation = gql`query one($genre: Genre) { shelved(genre: $genre) }`;
    const endpoints = compileRoutes(schema, [route('GET', '/books/{genre}', { tag, operation, reply: ok() })]);
    expect(openApiDocument(endpoints, texts)).toHaveProperty(['paths', '/books/{genre}', 'get', 'responses', '410']);
  });

  test('with a scalar that brings its schema', () => {
    const seat = new GraphQLScalarType({ name: 'Seat', extensions: { jsonSchema: { type: 'string', maxLength: 3 } } });
    expect(leafSchema(seat, new Components({ examples: {}, optional: {} }))).toEqual({ type: 'string', maxLength: 3 });
  });

  test('with a list of scalars', () => {
    expect(described(gql`query one { titles }`).body).toEqual({ type: 'array', items: { type: 'string' } });
    expect(described(gql`query many { titles }`, rows()).schemas.many).toEqual({
      type: 'array',
      description: 'The whole list.',
      items: { type: 'string' },
    });
  });

  test('with a list of lists', () => {
    const items = { type: 'array', items: { type: 'integer', format: 'int32' } };
    expect(described(gql`query many { grid }`, rows()).schemas.many).toMatchObject({ type: 'array', items });
  });

  test('without the version of a row, which is its entity tag', () => {
    const { schemas } = described(gql`query one { book { version ...Book } } fragment Book on Book { id }`);
    expect(schemas.Book).toEqual({ type: 'object', required: ['id'], properties: { id: expect.anything() } });
  });

  test('with a row that has a number, an id and a list', () => {
    const { schemas } = described(gql`query one { book { ...Book } } fragment Book on Book { id price tags }`);
    expect(schemas.Book).toMatchObject({
      required: ['id', 'tags'],
      properties: {
        id: { type: 'string' },
        price: { type: 'number', format: 'double' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    });
  });

  test('with the fields of inline fragments', () => {
    const { schemas } = described(
      gql`query one { book { ...Book } } fragment Book on Book { id ... on Book { title } }`,
    );
    expect(schemas.Book).toMatchObject({ required: ['id', 'title'], properties: { title: { type: 'string' } } });
  });
});

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
