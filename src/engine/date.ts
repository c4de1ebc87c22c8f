import { GraphQLError, GraphQLScalarType, Kind, print } from 'graphql';

const A_DATE = 'a full-date of RFC 3339, such as 2026-11-21';

/** A calendar day; in code, a string. */
export const dateScalar = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A calendar day in UTC, as an RFC 3339 full-date.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  extensions: { accepts: A_DATE, bytes: 12, jsonSchema: { type: 'string', format: 'date' } },
  serialize: (value) => {
    if (typeof value === 'string' && isDate(value)) return value;
    // Its type in code has all texts, such as those of `toISOString`.
    throw new TypeError(`${value} is not ${A_DATE}.`);
  },
  parseValue: (value) => {
    if (typeof value === 'string' && isDate(value)) return value;
    throw new GraphQLError(`Date must be ${A_DATE}.`);
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING && isDate(node.value)) return node.value;
    throw new GraphQLError(`${print(node)} must be ${A_DATE}.`, { nodes: [node] });
  },
});

/** Whether the text is a full-date of RFC 3339, section 5.6, and the day exists. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}
