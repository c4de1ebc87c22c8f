import { assertEnumType, assertInputObjectType, assertObjectType, assertScalarType, buildSchema } from 'graphql';
import { deprecated } from '../../src/engine/lifecycle/annotation.ts';
import { openApiDocument } from '../../src/engine/openapi/document.ts';
import { compileRoutes } from '../../src/engine/rest/compile.ts';
import { gql, ok, type Reply, type Route, route } from '../../src/engine/rest/route.ts';
import { integerFrom, text } from '../../src/engine/schema/bounds.ts';

/** A schema with all kinds of types, for routes that are no service's. */
export const schema = buildSchema(`
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
const deprecatedFor = (coordinate: string) => ({
  lifecycle: deprecated({
    since: '2026-07-01',
    sunset: '2027-12-31',
    successor: { coordinate },
    why: 'One is enough.',
  }),
});
const comic = assertEnumType(schema.getType('Genre')).getValue('COMIC');
if (comic != null) comic.extensions = deprecatedFor('Genre.NOVEL');
const sortsOfWish = assertInputObjectType(schema.getType('Wish')).getFields().sorts;
if (sortsOfWish !== undefined) sortsOfWish.extensions = deprecatedFor('Wish.best');

const { stock } = assertObjectType(schema.getType('Book')).getFields();
if (stock !== undefined) stock.resolve = (_, __, context) => context.stockOf();

function assertType(type: string, value: unknown): string {
  return typeof value === type ? (value as string) : fail();
}

function fail(): never {
  throw new Error('It is not of this type.');
}

export const tag = 'Things';
export const count = gql`query one { bookCount }`;
export const texts = {
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
export function described(
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
