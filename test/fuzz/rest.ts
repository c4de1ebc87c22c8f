import fc from 'fast-check';
import { stringifyJson } from '../../src/json.ts';
import { openApi } from '../support/contract.ts';
import { type Schema, valuesOf } from './schema.ts';
import { hostileValues, identifiers, mostly } from './values.ts';

/** A request to REST. */
export interface RestCase {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface Operation {
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** What a header field may hold at all. */
const visible = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const tags = fc.constantFrom('*', '"1"', '"2"', 'W/"1"', '"1", "2"', '"x"', '3', '"', '');

/** Requests that are driven by the description: valid, nearly valid, and hostile. */
export const restCases: fc.Arbitrary<RestCase> = fc.oneof(
  ...Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      casesOf(method.toUpperCase(), path, operation as unknown as Operation),
    ),
  ),
);

function casesOf(method: string, template: string, { parameters, requestBody }: Operation): fc.Arbitrary<RestCase> {
  const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const inQuery = parameters.flatMap((one) =>
    one.in === 'query' && one.name !== undefined ? [{ ...one, name: one.name }] : [],
  );
  return fc.record({
    method: mostly(fc.constant(method), fc.constantFrom(...METHODS)),
    path: fc
      .tuple(pathsOf(template), queriesOf(inQuery))
      .map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
    headers: headersOf(mediaType),
    body: content === undefined ? fc.constant(undefined) : bodiesOf(content.schema),
  });
}

function pathsOf(template: string): fc.Arbitrary<string> {
  const segment = mostly(
    identifiers.map(String),
    hostileValues.map((value) => encode(asText(value)).slice(0, 200) || 'x'),
  );
  return segment.map((value) => template.replaceAll(/\{\w+\}/g, value));
}

function queriesOf(parameters: readonly { readonly name: string; readonly schema?: Schema }[]): fc.Arbitrary<string> {
  const pair = fc.oneof(
    ...parameters.map(({ name, schema = {} }) =>
      valuesOf(schema.type === 'array' ? (schema.items ?? {}) : schema).map(
        (value) => `${name}=${encode(asText(value))}`,
      ),
    ),
    hostileValues.map((value) => encode(asText(value)).slice(0, 300)),
  );
  return fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&'));
}

function bodiesOf(schema: Schema): fc.Arbitrary<string | undefined> {
  const written = valuesOf(schema).map((value) => stringifyJson(value) ?? 'null');
  const broken = written.chain((text) => fc.nat(text.length).map((end) => text.slice(0, end)));
  return fc.oneof(
    { weight: 8, arbitrary: written },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: fc.constantFrom(undefined, '', '[[[[[[', '[]', '1', '"', '{"name":"a","name":"b"}') },
  );
}

function headersOf(mediaType: string | undefined): fc.Arbitrary<Record<string, string>> {
  const optional = {
    accept: fc.constantFrom('*/*', 'application/json', 'application/problem+json', 'text/html', 'text/*;q=0', ''),
    'if-match': tags,
    'if-none-match': tags,
    'idempotency-key': mostly(fc.uuid(), visible),
    authorization: fc.constantFrom('Bearer x', 'Basic YTpi', 'Bearer psk_x', ''),
    'api-client': visible,
    'api-lifecycle': fc.constantFrom('strict', 'lax'),
    'x-request-id': visible,
    origin: fc.constantFrom('https://shop.example', 'null'),
  };
  const type =
    mediaType === undefined
      ? fc.constant({})
      : mostly<object>(
          fc.constant({ 'content-type': mediaType }),
          visible.map((text) => ({ 'content-type': text })),
        );
  return fc
    .tuple(type, mostly(fc.constant({}), fc.record(optional, { requiredKeys: [] })))
    .map(([one, other]) => ({ ...one, ...other }) as Record<string, string>);
}

/** Percent-encoded, also where UTF-16 has half a character. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed?.() ?? text.replaceAll(/[\ud800-\udfff]/g, '%ED%A0%80'));
}

function asText(value: unknown): string {
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
}
