import type { RestOptions } from '../../../support/app.ts';
import type { Bad } from './addresses.ts';
import { type Operation, resolve, type Schema } from './operations.ts';

const REFERENCES: Readonly<Record<string, string>> = {
  createPet: 'categoryId',
  replacePet: 'categoryId',
  updatePet: 'categoryId',
  placeOrder: 'petId',
};

const TWO_MEBIBYTES = 2 ** 21;

export function badBodies(operation: Operation): Bad[] {
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
  const ofType = (type: string, names = 'application/json'): Bad => ({
    title: `Content-Type: ${type}`,
    options: { body, headers: { 'content-type': type } },
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    names,
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
      (type) => ofType(type),
    ),
    // As two fields arrive.
    ofType(`${json}; charset="utf-8", text/plain`, 'once'),
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
    sent('a field twice', twice(body), 'MALFORMED_JSON', 400, Object.keys(body)[0] ?? ''),
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
      'nested more than 1500 deep',
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

/** The JSON of the body with its first member once more. */
function twice(body: object): string {
  const [[name, value] = []] = Object.entries(body);
  return spliced(body, `${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

function omit(body: Readonly<Record<string, unknown>>, field: string): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}

/** The field of a body that could contradict the path, or that the service assigns. */
function identity({ operationId }: Operation): string {
  return operationId === 'replaceStock' ? 'petId' : 'id';
}

/** JSON values that do not fit the schema, each with its title. */
function badValues(schema: Schema): [shown: string, json: string][] {
  const plain = (...values: string[]) => values.map((json): [string, string] => [json, json]);
  const all = [...plain('[]', '{}'), ...(schema.nullable ? [] : plain('null'))];
  if (schema.type === 'array') {
    const bad = ['{}', '5', 'true', '"lost"', '["lost"]', '[1]', '[null]', '["pet.created", ["pet.created"]]'];
    return plain(...bad, ...(schema.nullable ? [] : ['null']));
  }
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
