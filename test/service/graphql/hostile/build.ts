/** A body that is made to keep a GraphQL server busy, with what it tries. */
export type Hostile = readonly [what: string, body: string];

export function many(count: number, make: (n: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, n) => make(n)).join(separator);
}

export function nested(levels: number, open: string, inmost: string, close: string): string {
  return open.repeat(levels) + inmost + close.repeat(levels);
}

export function asking(query: string, others: object = {}): string {
  return JSON.stringify({ query, ...others });
}

/** A document that selects this of each pet; and what selects it of the pets beside a pet. */
export const inNodes = (selection: string) => `{ pets { nodes { ${selection} } } }`;
export const deeper = (selection: string) => `category { pets { nodes { ${selection} } } }`;
/** So many operations, and so many keys of an object in JSON. */
export const operations = (count: number, selection: string) => many(count, (n) => `query Q${n} { ${selection} }`);
export const keys = (count: number) => many(count, (n) => `"${n.toString(36)}":1`, ',');

/** Fragments F0 to F<count>, each of which is made with the name of the next. */
export function chain(count: number, type: string, make: (next: string) => string, last: string): string {
  const links = many(count, (n) => `fragment F${n} on ${type} { ${make(`...F${n + 1}`)} }`);
  return `${links} fragment F${count} on ${type} { ${last} }`;
}
