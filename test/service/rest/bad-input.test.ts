import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestOptions, startTestApp, type TestApp } from '../../support/app.ts';
import { openApi } from '../../support/contract.ts';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Schema;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** An operation, and for a change a request that would succeed. */
interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly address: string;
  readonly parameters: readonly Parameter[];
  readonly mediaTypes: readonly string[];
  readonly schema: Schema | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** A request that differs from the valid one in one thing, and the error that it must get. */
interface Bad {
  readonly title: string;
  readonly address?: string;
  readonly options?: RestOptions;
  readonly code: string;
  readonly status: number;
  readonly names: string | RegExp;
}

/** The rows that `makeRows` creates, in a database of this file's own. */
const ROWS: Readonly<Record<string, number>> = { petId: 1, ordered: 2, categoryId: 2, orderId: 1 };

const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createPet: { name: 'Bello', categoryId: 1, status: 'sold' },
  replacePet: { name: 'Bello', categoryId: 2, status: 'sold' },
  updatePet: { name: 'Bello', categoryId: 2, status: 'sold' },
  createCategory: { name: 'Fish', description: 'Wet.' },
  replaceCategory: { name: 'Fish', description: 'Wet.' },
  updateCategory: { name: 'Birds', description: 'Feathered.' },
  placeOrder: { petId: 1, quantity: 2, shipDate: '2027-01-01T00:00:00Z', complete: true },
  updateOrder: { quantity: 3, shipDate: '2027-01-01T00:00:00Z', complete: true },
  replaceStock: { quantity: 7 },
};

const REFERENCES: Readonly<Record<string, string>> = {
  createPet: 'categoryId',
  replacePet: 'categoryId',
  updatePet: 'categoryId',
  placeOrder: 'petId',
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const TWO_MEBIBYTES = 2 ** 21;
const operations = readOperations();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await makeRows();
});
afterAll(() => app.dispose());

async function makeRows(): Promise<void> {
  const create = async (path: string, body: object) => (await app.rest('POST', path, { body })).body.id;
  const made = {
    first: await create('/categories', { name: 'Dogs', description: 'Loyal.' }),
    categoryId: await create('/categories', { name: 'Cats' }),
    petId: await create('/pets', { name: 'Rex', categoryId: 1 }),
    ordered: await create('/pets', { name: 'Ada', categoryId: 1 }),
    orderId: 0,
  };
  for (const petId of [made.petId, made.ordered]) {
    await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 5 } });
  }
  made.orderId = await create('/store/orders', { petId: made.ordered, shipDate: '2026-12-01T00:00:00Z' });
  expect(made).toEqual({ first: 1, ...ROWS });
}

/** A digest of everything that is stored. */
async function checksum(): Promise<string> {
  const sum = (table: string, key: string) =>
    `(select md5(coalesce(string_agg(t::text, chr(10) order by ${key}), '')) from ${table} t)`;
  const [row] = await app.database.transaction((query) =>
    query(
      `select ${sum('categories', 'id')}, ${sum('pets', 'id')}, ${sum('orders', 'id')}, ${sum('inventory', 'pet_id')}`,
      [],
    ),
  );
  return String(row);
}

function readOperations(): Operation[] {
  return Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Readonly<Record<string, Described>>).flatMap(([method, described]) => {
      if (!METHODS.includes(method)) return [];
      const { operationId, parameters = [], requestBody } = described;
      const content = Object.entries(requestBody?.content ?? {});
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        address: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ROWS[name])),
        parameters,
        mediaTypes: content.map(([type]) => type),
        schema: content[0] && resolve(content[0][1].schema),
        body: BODIES[operationId],
      };
    }),
  );
}

/** The schema itself, with its reference resolved and the keywords beside it. */
function resolve(schema: Schema): Schema {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? '')?.[1];
  if (name !== undefined) return resolve(openApi.components.schemas[name] as Schema);
  return schema.allOf?.[0] === undefined ? schema : { ...resolve(schema.allOf[0]), ...schema };
}

function badRequests(operation: Operation): Bad[] {
  return [...badHeaders(), ...badAddresses(operation), ...badQueries(operation), ...badBodies(operation)];
}

function badHeaders(): Bad[] {
  const rejected = { code: 'NOT_ACCEPTABLE', status: 406, names: 'application/json' };
  return ['image/png', 'application/json;q=0'].map((accept) => ({
    title: `Accept: ${accept}`,
    options: { headers: { accept } },
    ...rejected,
  }));
}

function badAddresses({ path, parameters, method }: Operation): Bad[] {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name }) => {
      const at = (id: string) => path.replace(`{${name}}`, id);
      const unreadable = [
        '1.5',
        'abc',
        '1e3',
        '0x1',
        '+1',
        '%201',
        '1%20',
        '1%2F2',
        'null',
        '%00',
        '1%00',
        '１',
        '9223372036854775808',
        '-9223372036854775809',
        '99999999999999999999999999',
        '..%2f1',
        "1'%20or%20'1'='1",
        '__proto__',
      ];
      const undecodable = ['%zz', '%ff', '1%', '%ed%a0%80', '%c0%80'];
      const missing = ['0', '-1', '987654', '9223372036854775807', '-9223372036854775808'];
      return [
        ...unreadable.map((id) => bad(`${method} ${at(id)}`, at(id), 'INVALID_ARGUMENT', 400, name)),
        ...undecodable.map((id) => bad(`${method} ${at(id)}`, at(id), 'INVALID_ARGUMENT', 400, /path.*percent/)),
        ...missing.map((id) => bad(`${method} ${at(id)}`, at(id), 'NOT_FOUND', 404, id)),
      ];
    });
}

function bad(title: string, address: string, code: string, status: number, names: string | RegExp): Bad {
  return { title, address, code, status, names };
}

function badQueries({ address, parameters, method }: Operation): Bad[] {
  const at = (query: string, names: string | RegExp) =>
    bad(`${method} …?${query.slice(0, 60)}`, `${address}?${query}`, 'INVALID_ARGUMENT', 400, names);
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return [
    at('bogus=1', 'bogus'),
    at('bogus', 'bogus'),
    at('__proto__=1', '__proto__'),
    at('Limit=1', 'Limit'),
    at('id%00=1', /id/),
    at('=1', '""'),
    at('bogus=%zz', /query string.*percent/),
    at('%ff=1', /query string.*percent/),
    ...inQuery.flatMap(({ name, schema }) => {
      const isList = schema.type === 'array';
      const leaf = resolve(isList ? (schema.items ?? {}) : schema);
      const [good] = goodTexts(name, leaf);
      return [
        ...badTexts(name, leaf).map((text) => at(`${name}=${text}`, name)),
        ...(isList
          ? badTexts(name, leaf).map((text) => at(`${name}=${good}&${name}=${text}`, name))
          : [at(`${name}=${good}&${name}=${good}`, new RegExp(`${name}.*once`))]),
        ...(leaf.type === 'string' && leaf.enum === undefined && name !== 'after' ? [] : [at(`${name}`, name)]),
      ];
    }),
  ];
}

function goodTexts(name: string, schema: Schema): string[] {
  if (name === 'after') return ['WyJpZCIsIjEiXQ'];
  if (schema.enum !== undefined) return [...schema.enum];
  if (schema.type === 'boolean') return ['true'];
  if (schema.format === 'date-time') return ['2026-12-01T00:00:00Z'];
  return ['1'];
}

function badTexts(name: string, schema: Schema): string[] {
  if (name === 'after') return ['x', '', 'WyJpZCJd', 'WyJpZCIsIjEiXQ==', '%00', 'null'];
  if (schema.enum !== undefined) return ['lost', '', 'AVAILABLE', '-', 'id_desc', 'available,sold', 'toString', '%00'];
  if (schema.type === 'boolean') return ['', 'TRUE', '1', 'yes', 'null'];
  if (schema.format === 'date-time')
    return ['', 'abc', '2026-12-01', '2026-12-01T00:00:00', '2026-13-01T00:00:00Z', 'null'];
  if (schema.format === 'int64') return ['', 'abc', '1.5', '1,2', '9223372036854775808', '0x1', '+1', '%00', 'null'];
  if (schema.type === 'integer') return ['', '0', '-1', '101', 'abc', '1.5', '2147483648', '1e1', 'null'];
  const tooLong = ['x'.repeat(201), encodeURIComponent('🐕'.repeat(201))];
  return ['', '%20%20', '%09%0a%c2%a0', 'a%00b', ...tooLong];
}

function badBodies(operation: Operation): Bad[] {
  const { schema, body, mediaTypes, operationId } = operation;
  if (schema === undefined || body === undefined) return [];
  const json = mediaTypes[0] ?? '';
  const sent = (title: string, text: unknown, code: string, status: number, names: string | RegExp): Bad => ({
    title,
    options: { body: text },
    code,
    status,
    names,
  });
  const ofType = (type: string): Bad => ({
    title: `Content-Type: ${type}`,
    options: { body, headers: { 'content-type': type } },
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    names: 'application/json',
  });
  const notJson = [
    '{',
    '{"name":}',
    "{'name': 'Bello'}",
    'name=Bello',
    '<pet/>',
    '{} {}',
    '{"quantity": 01}',
    'NaN',
    '\u0000',
  ];
  const reference = REFERENCES[operationId];
  return [
    { title: 'no body', options: {}, code: 'MALFORMED_JSON', status: 400, names: 'empty' },
    { ...sent('no body with a Content-Type', undefined, 'MALFORMED_JSON', 400, 'empty'), options: typed(json) },
    sent('an empty body', '', 'MALFORMED_JSON', 400, 'empty'),
    sent('only white space', ' \n', 'MALFORMED_JSON', 400, 'JSON'),
    ...notJson.map((text) => sent(`not JSON: ${JSON.stringify(text)}`, text, 'MALFORMED_JSON', 400, 'JSON')),
    sent('half of the body', JSON.stringify(body).slice(0, -1), 'MALFORMED_JSON', 400, 'JSON'),
    ...['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data', 'json', ''].map(
      ofType,
    ),
    ...(json === 'application/json'
      ? [ofType('application/merge-patch+json')]
      : [ofType('application/json-patch+json')]),
    ...[[], [body], 'Bello', 1, null, true].map((value) =>
      sent(
        `a body that is no object: ${JSON.stringify(value)}`,
        JSON.stringify(value),
        'VALIDATION_FAILED',
        422,
        /body/,
      ),
    ),
    sent('an unknown field', { ...body, catgoryId: 1 }, 'VALIDATION_FAILED', 422, 'catgoryId'),
    sent('an unknown field that is null', { ...body, catgoryId: null }, 'VALIDATION_FAILED', 422, 'catgoryId'),
    sent('a field with another letter case', { ...body, Quantity: 1 }, 'VALIDATION_FAILED', 422, 'Quantity'),
    sent(
      'a field that every JavaScript object has',
      spliced(body, '"constructor":1'),
      'VALIDATION_FAILED',
      422,
      'constructor',
    ),
    sent('a prototype', spliced(body, '"__proto__":{"x":1}'), 'VALIDATION_FAILED', 422, '__proto__'),
    sent(
      'a prototype beside a long number',
      spliced(body, '"__proto__":{"x":1234567890123456789}'),
      'VALIDATION_FAILED',
      422,
      '__proto__',
    ),
    sent('another id', { ...body, [identity(operation)]: 4711 }, 'VALIDATION_FAILED', 422, identity(operation)),
    sent('2 MiB', JSON.stringify(body).padEnd(TWO_MEBIBYTES), 'PAYLOAD_TOO_LARGE', 413, '1 MiB'),
    sent('2 MiB that are not JSON', 'x'.repeat(TWO_MEBIBYTES), 'PAYLOAD_TOO_LARGE', 413, '1 MiB'),
    sent(
      'lists 1,000 deep',
      spliced(body, `"deep":${'['.repeat(1e3)}${']'.repeat(1e3)}`),
      'VALIDATION_FAILED',
      422,
      'deep',
    ),
    sent(
      'lists 100,000 deep',
      spliced(body, `"deep":${'['.repeat(1e5)}${']'.repeat(1e5)}`),
      'PAYLOAD_TOO_LARGE',
      413,
      '5000 values',
    ),
    ...(schema.required ?? []).map((field) => {
      const { [field]: _, ...rest } = body;
      return sent(`no ${field}`, rest, 'VALIDATION_FAILED', 422, new RegExp(`${field} is required`));
    }),
    ...Object.entries(schema.properties ?? {}).flatMap(([field, type]) =>
      badValues(resolve(type)).map(([shown, json]) =>
        sent(
          `${field}: ${shown}`,
          JSON.stringify({ ...body, [field]: 0 }).replace(`"${field}":0`, () => `"${field}":${json}`),
          'VALIDATION_FAILED',
          422,
          field,
        ),
      ),
    ),
    ...(reference === undefined
      ? []
      : ['0', '-1', '987654', '9223372036854775807'].map((id) =>
          sent(
            `${reference}: ${id}`,
            spliced(omit(body, reference), `"${reference}":${id}`),
            'UNKNOWN_REFERENCE',
            422,
            new RegExp(`${reference} ${id} `),
          ),
        )),
  ];
}

function typed(type: string): RestOptions {
  return { headers: { 'content-type': type } };
}

/** The JSON of the body with one more member, inserted as text. */
function spliced(body: object, member: string): string {
  return JSON.stringify(body).replace(/\}$/, () => `,${member}}`);
}

function omit(body: Readonly<Record<string, unknown>>, field: string): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}

/** The field of a body that could contradict the path, or that the service assigns. */
function identity({ operationId }: Operation): string {
  return operationId === 'replaceStock' ? 'petId' : 'id';
}

/** The rows of a table of tests, by title. */
function titled<Row>(rows: readonly Row[], titleOf: (row: Row) => string): [title: string, row: Row][] {
  return rows.map((row) => [titleOf(row), row]);
}

/** JSON values that do not fit the schema, each with its title. */
function badValues(schema: Schema): [shown: string, json: string][] {
  const plain = (...values: string[]) => values.map((json): [string, string] => [json, json]);
  const all = [...plain('[]', '{}'), ...(schema.nullable ? [] : plain('null'))];
  if (schema.type === 'boolean') return [...all, ...plain('"true"', '0', '1', '""')];
  if (schema.format === 'int64') {
    return [
      ...all,
      ...plain('"1"', '1.5', 'true', '""', '[1]', '9223372036854775808', '-9223372036854775809', '1e30', '1e400'),
    ];
  }
  if (schema.type === 'integer') {
    const outside = [(schema.minimum ?? 0) - 1, (schema.maximum ?? 0) + 1].map(String);
    return [
      ...all,
      ...plain('"1"', '1.5', 'true', '""', '[1]', ...outside, '-2147483649', '1e400', '12345678901234567890'),
    ];
  }
  if (schema.enum !== undefined)
    return [...all, ...plain('"lost"', '"AVAILABLE"', '""', '0', '["sold"]', '"sold "', '"__proto__"')];
  if (schema.format === 'date-time') {
    return [
      ...all,
      ...plain(
        '"tomorrow"',
        '""',
        '1767225600',
        'true',
        '"2026-12-01"',
        '"2026-12-01T09:30:00"',
        '"2026-12-01 09:30:00Z"',
      ),
      ...plain('"2026-02-29T00:00:00Z"', '"2026-13-01T00:00:00Z"', '"2026-00-10T00:00:00Z"', '"2026-01-32T00:00:00Z"'),
      ...plain(
        '"2026-12-01T24:00:00Z"',
        '"2026-12-01T23:60:00Z"',
        '"2016-12-31T23:59:60Z"',
        '"2026-12-01T00:00:00+24:00"',
      ),
      ...plain(
        '"2026-12-01T00:00:00+0100"',
        '"0000-01-01T00:00:00Z"',
        '"+002026-12-01T00:00:00Z"',
        '"26-12-01T00:00:00Z"',
      ),
      ...plain(
        '"0001-01-01T00:00:00+01:00"',
        '"9999-12-31T23:59:59-01:00"',
        '"infinity"',
        '"now"',
        '"2026-12-01T00:00:00Z\\u0000"',
      ),
    ];
  }
  const most = schema.maxLength ?? 0;
  const blank = (schema.minLength ?? 0) > 0 ? plain('""', '"   "', '"\\t\\r\\n"', '"\\u00a0\\u2003\\ufeff"') : [];
  return [
    ...all,
    ...plain(
      '5',
      'true',
      '["a"]',
      '{"a":"b"}',
      '"a\\u0000b"',
      '"\\u0000"',
      '"\\ud83d"',
      '"a\\udc15"',
      '"\\udc15\\ud83d"',
    ),
    ...blank,
    [`${most + 1} letters`, `"${'x'.repeat(most + 1)}"`],
    [`${most + 1} emoji`, `"${'🐕'.repeat(most + 1)}"`],
    [`${most + 1} escaped emoji`, `"${'\\ud83d\\udc15'.repeat(most + 1)}"`],
    ['100,000 letters', `"${'x'.repeat(100_000)}"`],
  ];
}

describe('the valid requests that the bad ones are made from', () => {
  test('cover every operation with a body, and every field of it', () => {
    for (const { operationId, schema, body } of operations) {
      expect({ operationId, fields: Object.keys(body ?? {}).toSorted() }).toEqual({
        operationId,
        fields: Object.keys(schema?.properties ?? {}).toSorted(),
      });
    }
    expect(operations).toHaveLength(22);
  });
});

describe.each(titled(operations, ({ operationId }) => operationId))(
  '%s rejects, and changes nothing',
  (_, operation) => {
    test.each(titled(badRequests(operation), ({ title }) => title))('%s', async (_, bad) => {
      const { address, options, code, status, names } = bad;
      const good: RestOptions = operation.body === undefined ? {} : { body: operation.body };
      // What a case leaves out is as in the valid request; `options: {}` is a request without a body.
      const given = options?.headers?.accept === undefined ? options : { ...good, ...options };
      const before = await checksum();
      const answer = await app.rest(operation.method, address ?? operation.address, given ?? good);
      expect({ status: answer.status, body: answer.body }).toEqual({
        status,
        body: {
          code,
          message: typeof names === 'string' ? expect.stringContaining(names) : expect.stringMatching(names),
          status,
        },
      });
      expect(answer.body.message.length).toBeLessThan(1_000);
      expect(answer.body.message).not.toMatch(/\$|\bselect\b|SQLSTATE|syntax for type|Variable |\n\s+at /i);
      expect(await checksum()).toBe(before);
    });
  },
);

const withBody = operations.filter(({ body }) => body !== undefined);

describe.each(titled(withBody, ({ operationId }) => operationId))(
  '%s rejects, and changes nothing,',
  (_, operation) => {
    test('bytes that are not UTF-8', async () => {
      const before = await checksum();
      const text = Buffer.from(JSON.stringify(operation.body));
      for (const bytes of [Buffer.from('{"name":"\xe9t\xe9"}', 'latin1'), Buffer.concat([Buffer.from([0xff]), text])]) {
        const response = await app.fetch(
          new Request(`http://pets.example${operation.address}`, {
            method: operation.method,
            headers: { 'content-type': 'application/json' },
            body: new Uint8Array(bytes),
          }),
        );
        expect(response.status).toBe(400);
        expect(await response.json()).toEqual({
          code: 'MALFORMED_JSON',
          message: expect.stringContaining('UTF-8'),
          status: 400,
        });
      }
      expect(await checksum()).toBe(before);
    });

    test('a body without Content-Type', async () => {
      const before = await checksum();
      const body = new TextEncoder().encode(JSON.stringify(operation.body));
      const response = await app.fetch(
        new Request(`http://pets.example${operation.address}`, { method: operation.method, body }),
      );
      expect(response.status).toBe(415);
      expect(await response.json()).toEqual({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: expect.stringMatching(/application\/json.*none was sent/),
        status: 415,
      });
      expect(await checksum()).toBe(before);
    });
  },
);

describe('Content-Type', () => {
  const category = { name: 'Fish' };
  const create = (type: string) => ({ body: category, headers: { 'content-type': `application/json; ${type}` } });

  test.each([
    'charset=iso-8859-1',
    'charset="UTF-16"',
    'Charset = windows-1252',
    'charset=utf-8; charset=latin1',
    'charset=',
  ])('%s is 415 on both protocols, and the message names UTF-8', async (type) => {
    const before = await checksum();
    const { status, body } = await app.rest('POST', '/categories', create(type));
    expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(body.message).toMatch(/^The body must be in UTF-8, as JSON is; Content-Type says charset "/);
    const query = { query: 'mutation { createCategory(category: { name: "Fish" }) { id } }' };
    const request = new Request('http://pets.example/graphql', {
      method: 'POST',
      headers: { 'content-type': `application/json; ${type}` },
      body: JSON.stringify(query),
    });
    const response = await app.fetch(request);
    expect([response.status, JSON.stringify(await response.json())]).toEqual([415, expect.stringContaining('UTF-8')]);
    expect(await checksum()).toBe(before);
  });

  test.each(['charset=utf-8', 'charset="UTF-8"', 'profile="x"', 'profile="; charset=latin1"'])(
    '%s is accepted',
    async (type) => {
      expect((await app.rest('POST', '/categories', create(type))).status).toBe(201);
    },
  );
});

describe('several values in one parameter, with commas', () => {
  test('is 400, and the message says how to send them', async () => {
    const { status, body } = await app.rest('GET', '/pets?status=available,sold');
    expect([status, body.message]).toEqual([
      400,
      'status must be one of available, pending, sold, not "available,sold"; for several, repeat the parameter: status=available&status=sold.',
    ]);
  });
});

describe('a path that ends with / in place of an id', () => {
  test.each(['/pets/', '/categories/', '/store/orders/', '/store/inventory/'])(
    '%s is 404: neither the list nor a row',
    async (address) => {
      const before = await checksum();
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'POST']) {
        const { status, body } = await app.rest(method, address, method === 'GET' ? {} : { body: { name: 'Fish' } });
        expect({ method, status, code: body?.code }).toEqual({ method, status: 404, code: 'NOT_FOUND' });
      }
      expect(await checksum()).toBe(before);
    },
  );
});

describe.each(Object.keys(openApi.paths))('%s rejects, and changes nothing', (path) => {
  const own = operations.filter((operation) => operation.path === path);
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'LINK', 'PURGE'].filter(
    (method) => !own.some((operation) => operation.method === method),
  );

  test.each(methods)('%s, which the path does not have', async (method) => {
    const before = await checksum();
    const body = BODIES[own.find((operation) => operation.body !== undefined)?.operationId ?? ''] ?? {};
    const options = method === 'GET' ? {} : { body };
    const { status, headers, body: error } = await app.rest(method, own[0]?.address ?? '', options);
    expect(status).toBe(405);
    expect(error).toEqual({ code: 'METHOD_NOT_ALLOWED', message: expect.stringContaining(method), status: 405 });
    const allow = (headers.get('allow') ?? '').split(', ');
    expect(allow).toEqual(expect.arrayContaining(own.map((operation) => operation.method)));
    expect(allow).not.toContain(method);
    expect(await checksum()).toBe(before);
  });
});

describe('the valid requests, after all these', () => {
  const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  // Rows that are referred to go last.
  const last = ['deletePet', 'deleteCategory'];
  const sorted = operations.toSorted(
    (one, other) =>
      order.indexOf(one.method) - order.indexOf(other.method) ||
      last.indexOf(one.operationId) - last.indexOf(other.operationId),
  );

  test.each(titled(sorted, ({ operationId }) => operationId))('%s succeeds', async (_, operation) => {
    if (operation.operationId === 'cancelOrder') await reopen();
    if (operation.operationId === 'deleteCategory') await app.rest('PATCH', '/pets/1', { body: { categoryId: 1 } });
    if (operation.operationId === 'deletePet') await forget();
    const before = await checksum();
    const options = operation.body === undefined ? {} : { body: operation.body };
    const { status } = await app.rest(operation.method, operation.address, options);
    expect(status).toBeLessThan(300);
    const isRead = operation.method === 'GET';
    expect((await checksum()) === before).toBe(isRead);
  });

  /** By then the order is complete, and a complete one is final. */
  async function reopen(): Promise<void> {
    await app.database.transaction((query) => query('update orders set complete = false where id = 1', []));
    await app.database.transaction((query) => query('update inventory set open_orders = 1 where pet_id = 2', []));
  }

  /** By then there is an order for the pet. */
  async function forget(): Promise<void> {
    await app.database.transaction((query) => query('delete from orders where pet_id = 1', []));
  }
});
