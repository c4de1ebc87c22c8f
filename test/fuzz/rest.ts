import fc from 'fast-check';
import { encodeCursor } from '../../src/engine/db/cursor.ts';
import { stringifyJson } from '../../src/engine/json.ts';
import { openApi } from '../support/contract.ts';
import { fittingHeaders, hostileField, hostileHeaders } from './headers.ts';
import { nearlyOf, type Schema, valuesOf } from './schema.ts';
import { exact, hostileValues, identifiers, type Kind, loose, mostly, rowsOf } from './values.ts';

/** A REST request. */
export interface RestCase {
  readonly kind: Kind;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** A case in parts, one of which gets a mistake. */
interface Parts extends Omit<RestCase, 'kind' | 'path'> {
  readonly segment: string;
  readonly query: readonly string[];
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const BROKEN = ['', '[[[[[[', '[]', '1', '"', '{"name":"a","name":"b"}', '\ufeff{}', '{"name":"\\ud800"}'];
/** Paths that no operation has, or nearly none. */
const STRAY = [
  '/',
  '//pets',
  '/pets/',
  '/pets/1/2',
  '/pets/%',
  '/pets/%00',
  '/pets?%',
  '/pets?&&=',
  '/PETS',
  '/%2e%2e',
];

/** Without `.` and `..`, with which a URL is that of another path. */
const hostileSegments = hostileValues.map((value) =>
  encode(asText(value))
    .slice(0, 200)
    .replace(/^\.{0,2}$/, 'x'),
);

/** Requests that are generated from the description: a third of each kind. */
export const restCases: fc.Arbitrary<RestCase> = fc.oneof(
  ...Object.entries(openApi.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      casesOf(method.toUpperCase(), template, operation as unknown as Operation),
    ),
  ),
);

function casesOf(method: string, template: string, operation: Operation): fc.Arbitrary<RestCase> {
  const valid = fittingOf(method, template, operation);
  const faulty = fc
    .tuple(valid, mistakesOf(template, operation))
    .map(([parts, fault]) => ({ ...parts, ...fault(parts) }));
  return fc.oneof(
    valid.map((parts) => toCase('valid', template, parts)),
    faulty.map((parts) => toCase('nearly valid', template, parts)),
    hostileOf(method, template, operation),
  );
}

function toCase(kind: Kind, template: string, { segment, query, ...parts }: Parts): RestCase {
  const path = template.replaceAll(/\{\w+\}/g, segment);
  return { kind, ...parts, path: query.length === 0 ? path : `${path}?${query.join('&')}` };
}

function fittingOf(method: string, template: string, operation: Operation): fc.Arbitrary<Parts> {
  const contents = Object.entries(operation.requestBody?.content ?? {});
  const content = contents.length === 0 ? fc.constant(undefined) : fc.constantFrom(...contents);
  return content.chain((chosen) =>
    fc.record({
      method: method === 'GET' ? mostly(fc.constant('GET'), fc.constant('HEAD')) : fc.constant(method),
      segment: rowsOf(/\{(\w+)\}/.exec(template)?.[1] ?? '').map(String),
      query: fittingQueries(template, queryOf(operation)),
      headers: fittingHeaders(
        operation.parameters.map(({ $ref }) => $ref?.split('/').at(-1) ?? ''),
        chosen?.[0],
      ),
      body: chosen === undefined ? fc.constant(undefined) : valuesOf(chosen[1].schema, exact).map(stringifyJson),
    }),
  );
}

function queryOf({ parameters }: Operation): { readonly name: string; readonly schema: Schema }[] {
  return parameters.flatMap(({ in: place, name, schema }) =>
    place === 'query' && name !== undefined && schema !== undefined ? [{ name, schema }] : [],
  );
}

/** Some of the parameters; a list has one pair for each value. */
function fittingQueries(template: string, parameters: ReturnType<typeof queryOf>): fc.Arbitrary<string[]> {
  const list = template.split('/').at(-1);
  const cursors = rowsOf('').map((id) => encodeCursor(`${list}.id`, { id, value: null }));
  const values = Object.fromEntries(
    parameters.map(({ name, schema }) => [name, name === 'after' ? cursors : valuesOf(schema, exact, name)]),
  );
  return fc.subarray(parameters.map(({ name }) => name)).chain((names) => {
    // A cursor needs the sort of its page.
    const chosen = names.filter((name) => name !== 'sort' || !names.includes('after'));
    return fc
      .record(Object.fromEntries(chosen.map((name) => [name, values[name] as fc.Arbitrary<unknown>])))
      .map((given) =>
        Object.entries(given).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${encode(asText(one))}`)),
      );
  });
}

/** One mistake that makes a valid request invalid, or nearly so. */
function mistakesOf(template: string, operation: Operation): fc.Arbitrary<(parts: Parts) => Partial<Parts>> {
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const inQuery = queryPairs(queryOf(operation)).map((pair) => ({ query }: Parts) => ({ query: [...query, pair] }));
  const inHeaders = hostileField.map((field) => ({ headers }: Parts) => ({ headers: { ...headers, ...field } }));
  const inMethod = fc.constantFrom(...METHODS).map((method) => () => ({ method }));
  const inPath = hostileSegments.map((segment) => () => ({ segment }));
  const common = fc.oneof(inQuery, inHeaders, inMethod, ...(template.includes('{') ? [inPath] : []));
  if (schema === undefined) return common;
  const cutOff = fc.nat(40).map((end) => ({ body }: Parts) => ({ body: body?.slice(0, -1 - end) }));
  const broken = fc.constantFrom(undefined, ...BROKEN).map((body) => () => ({ body }));
  const inBody = nearlyOf(schema).map((value) => () => ({ body: stringifyJson(value) ?? 'null' }));
  return fc.oneof(
    { weight: 4, arbitrary: common },
    { weight: 6, arbitrary: inBody },
    { weight: 1, arbitrary: cutOff },
    { weight: 1, arbitrary: broken },
  );
}

function hostileOf(method: string, template: string, operation: Operation): fc.Arbitrary<RestCase> {
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const bodies = content && valuesOf(content.schema, loose).map((value) => stringifyJson(value) ?? 'null');
  const parts = fc.record({
    method: mostly(fc.constant(method), fc.constantFrom(...METHODS)),
    segment: mostly(identifiers.map(String), hostileSegments),
    query: fc.array(queryPairs(queryOf(operation)), { maxLength: 4 }),
    headers: hostileHeaders(mediaType),
    body: bodies === undefined ? fc.constant(undefined) : mostly(bodies, fc.constantFrom(undefined, ...BROKEN)),
  });
  const common = parts.map((one) => toCase('hostile', template, one));
  const stray = fc.tuple(common, fc.constantFrom(...STRAY)).map(([one, path]) => ({ ...one, path }));
  return fc.oneof({ weight: 15, arbitrary: common }, { weight: 1, arbitrary: stray });
}

function queryPairs(parameters: ReturnType<typeof queryOf>): fc.Arbitrary<string> {
  return fc.oneof(
    ...parameters.map(({ name, schema }) =>
      valuesOf(schema.type === 'array' ? (schema.items ?? {}) : schema, loose, name).map(
        (value) => `${name}=${encode(asText(value))}`,
      ),
    ),
    hostileValues.map((value) => encode(asText(value)).slice(0, 300)),
  );
}

/** Percent-encoded, including lone surrogates of UTF-16. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function asText(value: unknown): string {
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}
