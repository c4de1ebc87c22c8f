/** A request. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** The `Idempotency-Key`. */
  readonly key?: string;
  readonly accept?: string;
}

export function post(path: string, body: string, key?: string): Sent {
  return { method: 'POST', path, body, ...(key !== undefined && { key }) };
}

/** A GraphQL request; the variables are JSON already. */
export function asking(query: string, variables = '{}', operationName?: string): Sent {
  const name = operationName === undefined ? '' : `,"operationName":"${operationName}"`;
  return post('/graphql', `{"query":${JSON.stringify(query)},"variables":${variables}${name}}`);
}

/** By the name of a limit in docs/limits.md: a request with this much of it. */
export const examples: Readonly<Record<string, (n: number) => Sent>> = {
  body: (n) => post('/categories', '{"name":"Dogs"}'.padEnd(n)),
  'rows of a page on REST': (n) => ({ method: 'GET', path: `/pets?limit=${n}` }),
  'rows of a page on GraphQL': (n) => asking('query ($n: Int) { pets(first: $n) { totalCount } }', `{"n":${n}}`),
  'characters of an `Idempotency-Key`': (n) => post('/categories', '{"name":"Dogs"}', 'x'.repeat(n)),
  'GraphQL requests in a body: batches are not supported': (n) =>
    n === 1 ? asking('{ __typename }') : post('/graphql', `[${many(n, () => '{"query":"{ __typename }"}', ',')}]`),
  // The body, the query, the variables and the list are four of these values.
  'JSON values in the body, or in the `variables` or `extensions` of a GET': (n) =>
    asking('{ __typename }', `{"all":[${many(n - 4, () => '1', ',')}]}`),
  // The body and the variables are two levels of them.
  'nesting of these values': (n) => asking('{ __typename }', `{"deep":${'['.repeat(n - 2)}${']'.repeat(n - 2)}}`),
  'bytes of a string in them': (n) => asking('{ __typename }'.padEnd(n)),
  'digits of a number in them': (n) => asking('{ __typename }', `{"number":${'9'.repeat(n)}}`),
  'lines of the document': (n) => asking(`{ __typename }${many(n - 1, () => '\n', '')}`),
  'tokens of the document': (n) => asking(`{ pets(id: [${many(n - 12, () => '1')}]) { totalCount } }`),
  'nesting of selections and fragments': (n) =>
    asking(`{ ${'... { '.repeat(n - 1)} __typename ${'} '.repeat(n - 1)} }`),
  'selections of all operations, with fragments expanded once per place': selections,
  'pairs of fields, or of fragments, with the same name in one place': pairs,
  'nesting of `fields`, `interfaces`, `possibleTypes` and `inputFields` of introspection': (n) =>
    asking(`{ __type(name: "Pet") { ${'fields { type { '.repeat(n)} name ${'} } '.repeat(n)} } }`),
  'selections of the operation, with fragments expanded': (n) =>
    asking(
      `{ ${many(49, () => '...F')} ${many(n - 49 * 101, () => '__typename')} } fragment F on Query { ${many(100, () => '__typename')} }`,
    ),
  'aliases, with fragments expanded': (n) => asking(`{ ${many(n, (at) => `a${at}: __typename`)} }`),
  'directives, with fragments expanded': (n) => asking(`{ ${many(n, () => '__typename @include(if: true)')} }`),
  'depth of fields': (n) =>
    asking(`{ __type(name: "Pet") { ${'ofType { '.repeat(n - 2)} name ${'} '.repeat(n - 2)} } }`),
  'rows of lists; the sizes of nested lists multiply': rows,
  'lists with `totalCount`': (n) =>
    asking(`{ ${many(n, (at) => `a${at}: categories(first: 1, id: [${at}]) { totalCount }`)} }`),
  'values of those rows, and items of list arguments': values,
};

/** That many selections, in operations that share a fragment with 59 selections in 59 places. */
function selections(n: number): Sent {
  const within = (level: number): string =>
    level === 0 ? 'id' : `id name category { id name pets(first: 1) { nodes { ${within(level - 1)} } } }`;
  const operations = many(Math.floor(n / 60), (at) => `query Q${at} { ...F }`);
  const others = `query Others { ${many(n % 60, () => '__typename')} }`;
  return asking(
    `${operations} ${others} fragment F on Query { pets(first: 1) { nodes { ${within(8)} } } }`,
    '{}',
    'Q0',
  );
}

/** That many pairs: each place with k fields has k (k - 1) / 2. */
function pairs(n: number): Sent {
  const places: string[] = [];
  for (let left = n; left > 0; ) {
    const fields = Math.floor((1 + Math.sqrt(1 + 8 * left)) / 2);
    places.push(`a${places.length}: __type(name: "Pet") { ${many(fields, () => 'name')} }`);
    left -= (fields * (fields - 1)) / 2;
  }
  return asking(`{ ${places.join(' ')} }`);
}

function rows(n: number): Sent {
  const tenThousand = 'pets(first: 100) { nodes { orders(first: 99) { totalCount } } }';
  const rest = n % 10_000 === 0 ? '' : `pets(first: ${n % 10_000}) { totalCount }`;
  return asking(`{ ${many(Math.floor(n / 10_000), (at) => `a${at}: ${tenThousand}`)} ${rest} }`);
}

/** That many values: items of lists, a page, 20 of each of its rows, and the row itself. */
function values(n: number): Sent {
  const pages = [
    'lists: categories(first: 1, id: [1 2 3]) { totalCount }',
    'given: categories(first: 1, id: $given) { totalCount }',
    'byDefault: categories(first: 1, id: $byDefault) { totalCount }',
  ];
  const twenty = `id name status version __typename category { id version __typename }
    inventory { petId quantity status version __typename pet { id status version __typename } }`;
  // Each of the three has a page, its count, and three items.
  let left = n - 3 * 5;
  for (; left > 21; left -= 21 * sizeOf(left) + 1) {
    pages.push(`a${pages.length}: pets(first: ${sizeOf(left)}) { nodes { ${twenty} } }`);
  }
  return asking(
    `query ($given: [Int64!], $byDefault: [Int64!] = [1 2 3]) { ${pages.join(' ')} ${many(left, (at) => `t${at}: __typename`)} }`,
    '{"given":[1,2,3]}',
  );
}

function sizeOf(left: number): number {
  return Math.min(100, Math.floor((left - 1) / 21));
}

export function many(count: number, make: (n: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, n) => make(n)).join(separator);
}
