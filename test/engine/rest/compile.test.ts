import { describe, expect, test } from 'vitest';
import type { IncomingRequest } from '../../../src/engine/http/incoming.ts';
import { EndpointCall } from '../../../src/engine/rest/call.ts';
import { compileRoutes, type Endpoint } from '../../../src/engine/rest/compile.ts';
import { created, gql, ok, route, rows } from '../../../src/engine/rest/route.ts';
import { bookSchema } from '../../support/books.ts';
import { schema } from '../../support/things.ts';

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

describe('a value of an enum has its name on REST', () => {
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
      meter: { chargeBody: () => undefined, charge: () => {} },
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
