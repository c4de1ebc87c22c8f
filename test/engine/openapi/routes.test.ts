import { GraphQLScalarType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { Components } from '../../../src/engine/openapi/components.ts';
import { openApiDocument } from '../../../src/engine/openapi/document.ts';
import { leafSchema } from '../../../src/engine/openapi/schemas.ts';
import { compileRoutes } from '../../../src/engine/rest/compile.ts';
import { gql, ok, page, type Reply, route, rows } from '../../../src/engine/rest/route.ts';
import { described, schema, tag, texts } from '../../support/things.ts';

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

describe('OpenAPI has the REST name of a value of an enum', () => {
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
