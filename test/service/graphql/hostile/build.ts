/** A body that is meant to keep a GraphQL server busy, and a description of it. */
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

/** A document with this selection of each pet; and the selection of the pets in the same category. */
export const inNodes = (selection: string) => `{ pets { nodes { ${selection} } } }`;
export const deeper = (selection: string) => `category { pets { nodes { ${selection} } } }`;
/** A number of operations, and a number of keys of a JSON object. */
export const operations = (count: number, selection: string) => many(count, (n) => `query Q${n} { ${selection} }`);
export const keys = (count: number) => many(count, (n) => `"${n.toString(36)}":1`, ',');

/** Fragments F0 to F<count>; each is made from the name of the next. */
export function chain(count: number, type: string, make: (next: string) => string, last: string): string {
  const links = many(count, (n) => `fragment F${n} on ${type} { ${make(`...F${n + 1}`)} }`);
  return `${links} fragment F${count} on ${type} { ${last} }`;
}
