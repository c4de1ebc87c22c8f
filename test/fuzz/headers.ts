import fc from 'fast-check';
import { openApi } from '../support/contract.ts';
import { mostly } from './values.ts';

type Fields = Readonly<Record<string, string>>;

/** The characters that a header field may have. */
const visible = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
/** The entity tags of rows with one or two changes. */
const TAGS = ['"1"', '"2"', '"1", "2"', 'W/"1"'];

/** Valid values of the header fields in the description, without those of documented rejections. */
const FITTING: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'Idempotency-Key': fc.uuid(),
  'If-Match': mostly(fc.constant('"1", "2", "3"'), fc.constantFrom(...TAGS)),
  'If-None-Match': fc.constantFrom('*', ...TAGS),
  'If-None-Match-Any': fc.constant('*'),
  'API-Client': fc.constantFrom('shop-app', 'back-office'),
};

const HOSTILE: Readonly<Record<string, fc.Arbitrary<string>>> = {
  accept: fc.constantFrom('*/*', 'application/json', 'application/problem+json', 'text/html', 'text/*;q=0', '', '/;,='),
  'content-type': visible,
  'if-match': fc.constantFrom('*', ...TAGS, '"x"', '3', '"', '', '"99999999999999999999"'),
  'if-none-match': fc.constantFrom('*', ...TAGS, '"x"', '3', '"', ''),
  'idempotency-key': fc.oneof(visible, fc.constantFrom('a', 'b', '"a"')),
  authorization: fc.constantFrom('Bearer x', 'Basic YTpi', 'Bearer psk_x', ''),
  'api-client': visible,
  'api-lifecycle': fc.constantFrom('strict', 'lax', ''),
  'x-request-id': visible,
  'x-forwarded-for': visible,
  origin: fc.constantFrom('https://shop.example', 'null'),
};

/** The fields of a valid request: the media type of its body, and some of those of its operation. */
export function fittingHeaders(names: readonly string[], mediaType: string | undefined): fc.Arbitrary<Fields> {
  const known = names.filter((name) => name in FITTING);
  const type = mediaType === undefined ? {} : { 'content-type': mediaType };
  // A change has one precondition at most.
  const some = fc
    .subarray(known)
    .map((chosen) => chosen.filter((name) => name !== 'If-Match' || !chosen.includes('If-None-Match-Any')));
  return mostly(fc.constant<string[]>([]), some).chain((chosen) =>
    fc
      .record({
        ...Object.fromEntries(chosen.map((name) => [fieldOf(name), FITTING[name] as fc.Arbitrary<string>])),
        accept: fc.constantFrom('*/*', 'application/json', 'application/problem+json, application/json'),
      })
      .map((fields) => ({ ...type, ...fields })),
  );
}

function fieldOf(name: string): string {
  return (openApi.components.parameters[name]?.name ?? name).toLowerCase();
}

/** One field that is invalid or unexpected. */
export const hostileField: fc.Arbitrary<Fields> = fc
  .constantFrom(...Object.entries(HOSTILE))
  .chain(([name, values]) => values.map((value) => ({ [name]: value })));

/** Several of these, beside the media type of the body. */
export function hostileHeaders(mediaType: string | undefined): fc.Arbitrary<Fields> {
  const type: Fields = mediaType === undefined ? {} : { 'content-type': mediaType };
  return fc.array(hostileField, { maxLength: 3 }).map((fields) => Object.assign({}, type, ...fields) as Fields);
}
