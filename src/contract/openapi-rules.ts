import { isDeepStrictEqual } from 'node:util';

/** Whether a keyword with the value `wide` allows everything that it does with `narrow`. */
type Rule = (wide: unknown, narrow: unknown) => boolean;

/** The types and formats that contain another. */
const CONTAINS: Readonly<Record<string, string>> = { number: 'integer', int64: 'int32', double: 'float' };

const contains: Rule = (wide, narrow) =>
  wide === undefined || wide === narrow || (narrow !== undefined && CONTAINS[String(wide)] === narrow);
const atMost: Rule = (wide, narrow) => Number(narrow ?? Infinity) <= Number(wide ?? Infinity);
const atLeast: Rule = (wide, narrow) => Number(narrow ?? -Infinity) >= Number(wide ?? -Infinity);
const equal: Rule = isDeepStrictEqual;
const openOrEqual: Rule = (wide, narrow) => wide === undefined || wide === true || equal(wide, narrow);

/** How the keywords of an element are compared. */
export const RULES: Readonly<Record<string, Rule>> = {
  type: contains,
  format: contains,
  maximum: atMost,
  maxLength: atMost,
  maxItems: atMost,
  maxProperties: atMost,
  minimum: atLeast,
  minLength: atLeast,
  minItems: atLeast,
  minProperties: atLeast,
  pattern: (wide, narrow) => openOrEqual(wide, narrow) || hasAlternatives(wide, narrow),
  nullable: openOrEqual,
  additionalProperties: openOrEqual,
  required: (wide, narrow) => wide !== true || narrow === true,
  default: equal,
  style: equal,
  explode: equal,
  securityScheme: equal,
  operationId: (wide, narrow) => narrow === undefined || wide === narrow,
  'x-required-scopes': (wide, narrow) => listOf(wide).every((scope) => listOf(narrow).includes(scope)),
  security: (wide, narrow) => {
    const [needed, given] = [alternativesOf(wide), alternativesOf(narrow)];
    return needed.includes('') || given.every((credentials) => needed.includes(credentials));
  },
};

/** Whether a pattern such as `^(books|authors)/1$` is another one with more alternatives. */
function hasAlternatives(wide: unknown, narrow: unknown): boolean {
  const [more, fewer] = [wide, narrow].map((pattern) => ALTERNATIVES.exec(String(pattern))?.[1]?.split('|'));
  const rest = (pattern: unknown) => String(pattern).replace(ALTERNATIVES, '');
  return rest(wide) === rest(narrow) && fewer?.every((one) => more?.includes(one)) === true;
}

/** At the start of a pattern: elsewhere, such as in a lookahead, more alternatives may match fewer texts. */
const ALTERNATIVES = /^\^\((\w+(?:\|\w+)*)\)/;

/** The credentials of which a caller needs one; an empty text where none are needed. */
function alternativesOf(security: unknown): string[] {
  const alternatives = listOf(security).map((schemes) => Object.keys(Object(schemes)).join());
  return alternatives.length === 0 ? [''] : alternatives;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
