import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode } from 'graphql';
import { isDate } from '../date.ts';
import { type Int64, parseInt64, toInt64 } from '../int64.ts';

const AN_INT64 = 'an integer (int64) of 64 bits';
const A_DATE = 'a full-date of RFC 3339 from the year 1 on, such as 2026-11-21';
const A_DATE_TIME =
  'a date-time of RFC 3339 with its offset, from the year 1 to 9999 in UTC, such as 2026-11-21T09:30:00Z';

/** A 64-bit integer; in code a number if that is exact, otherwise a bigint. */
export const int64Scalar = new GraphQLScalarType<Int64, unknown>({
  name: 'Int64',
  description:
    'A signed 64-bit integer, exact to the last digit. It is a JSON integer in variables and results, never a string.',
  specifiedByURL: 'https://spec.openapis.org/registry/format/int64.html',
  extensions: { accepts: AN_INT64, bytes: 20, jsonSchema: { type: 'integer', format: 'int64' } },
  serialize: (value) => {
    if (typeof value === 'bigint' || Number.isInteger(value)) return value;
    // Its TypeScript type allows fractions, and NaN, which JSON would print as null.
    throw new TypeError(`${value} is not ${AN_INT64}.`);
  },
  parseValue: (value) => {
    const parsed = typeof value === 'number' || typeof value === 'bigint' ? toInt64(value) : undefined;
    return parsed ?? reject('Int64', AN_INT64);
  },
  parseLiteral: (node) => {
    const parsed = node.kind === Kind.INT ? parseInt64(node.value) : undefined;
    return parsed ?? reject(node, AN_INT64);
  },
});

/** A calendar day; in code, a string. */
export const dateScalar = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A calendar day in UTC, as an RFC 3339 full-date.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  extensions: { accepts: A_DATE, bytes: 12, jsonSchema: { type: 'string', format: 'date' } },
  serialize: (value) => {
    if (isDay(value)) return value;
    // Its TypeScript type allows any string, such as one from `toISOString`.
    throw new TypeError(`${value} is not ${A_DATE}.`);
  },
  parseValue: (value) => (isDay(value) ? value : reject('Date', A_DATE)),
  parseLiteral: (node) => (node.kind === Kind.STRING && isDay(node.value) ? node.value : reject(node, A_DATE)),
});

/** PostgreSQL has no year 0. */
function isDay(value: unknown): value is string {
  return typeof value === 'string' && isDate(value) && !value.startsWith('0000');
}

/** An instant; in code a `Date`. */
export const dateTimeScalar = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'An instant, as an RFC 3339 date-time with an offset, from the year 1 to 9999 and without leap seconds. It is stored to the millisecond, without further digits, and returned in UTC.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  extensions: { accepts: A_DATE_TIME, bytes: 26, jsonSchema: { type: 'string', format: 'date-time' } },
  // The builder types what resolvers return.
  serialize: (value) => (value as Date).toISOString(),
  parseValue: (value) => {
    const parsed = value instanceof Date ? value : typeof value === 'string' ? parseDateTime(value) : undefined;
    return parsed ?? reject('DateTime', A_DATE_TIME);
  },
  parseLiteral: (node) => {
    const parsed = node.kind === Kind.STRING ? parseDateTime(node.value) : undefined;
    return parsed ?? reject(node, A_DATE_TIME);
  },
});

function reject(what: string | ValueNode, accepted: string): never {
  const [name, nodes] = typeof what === 'string' ? [what, null] : [print(what), what];
  throw new GraphQLError(`${name} must be ${accepted}.`, { nodes });
}

const TIME = /^T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339, section 5.6, to the millisecond; without leap seconds, because a `Date` has none. */
function parseDateTime(text: string): Date | undefined {
  if (!isDate(text.slice(0, 10)) || !TIME.test(text.slice(10))) return undefined;
  const instant = new Date(text.toUpperCase());
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999 ? instant : undefined;
}
