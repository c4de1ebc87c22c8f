import fc from 'fast-check';
import { buildSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { measure } from '../../../src/engine/operation/cost.ts';
import { selectionOf } from '../../../src/engine/operation/selection.ts';
import { bookshop } from '../../bookshop/shop.ts';

const schema = buildSchema(`
  type Query { books: [Book!]! things: [Thing!]! }
  union Thing = Book | Film
  type Book { id: Int! title: String! parts: [Book!]! kind: Kind! form: Form! }
  type Film { id: Int! parts: [Film!]! }
  enum Kind { A LONGEST B }
  enum Form { LONGEST }
`);

function costOf(query: string, variables = {}) {
  return measure(selectionOf(schema, parse(query), undefined))(variables);
}

const PATHS = ['id', 'title', 'parts.id', 'parts.title', 'parts.parts.id', 'parts.parts.title'];
const FRAGMENTS = ['A', 'B', 'C'] as const;
const FLAGS = ['x', 'y'] as const;

/** Selects each path on its own: fields with several are repeated. */
function repeating(paths: readonly string[]): string {
  return paths.map((path) => path.split('.').reduceRight((within, key) => `${key} { ${within} }`)).join(' ');
}

/** Selects each field once. */
function once(paths: readonly string[]): string {
  const keys = new Set(paths.map((path) => path.split('.', 1)[0] ?? ''));
  return [...keys]
    .map((key) => {
      const within = paths.filter((path) => path.startsWith(`${key}.`)).map((path) => path.slice(key.length + 1));
      return within.length === 0 ? key : `${key} { ${once(within)} }`;
    })
    .join(' ');
}

test('an operation costs as much as the one that selects once each field that it includes', () => {
  const paths = fc.subarray(PATHS, { minLength: 1 });
  const spread = fc.record({
    fragment: fc.constantFrom(...FRAGMENTS),
    flag: fc.constantFrom(undefined, ...FLAGS),
    within: fc.constantFrom('', 'parts.'),
  });
  fc.assert(
    fc.property(
      fc.record({ A: paths, B: paths, C: paths }),
      fc.array(spread, { maxLength: 6 }),
      fc.record({ x: fc.boolean(), y: fc.boolean() }),
      (fragments, spreads, variables) => {
        const selected = spreads.map(({ fragment, flag, within }) => {
          const text = `...${fragment} ${flag === undefined ? '' : `@include(if: $${flag})`}`;
          return within === '' ? text : `parts { id ${text} }`;
        });
        const definitions = FRAGMENTS.map((name) => `fragment ${name} on Book { ${repeating(fragments[name])} }`);
        const query = `query ($x: Boolean = true, $y: Boolean = true) { books { id ${selected.join(' ')} } }`;
        const included = spreads.flatMap(({ fragment, flag, within }) => [
          ...(within === '' ? [] : [`${within}id`]),
          ...(flag === undefined || variables[flag] ? fragments[fragment].map((path) => within + path) : []),
        ]);
        const merged = `{ books { ${once(['id', ...included])} } }`;
        expect(costOf(`${query} ${definitions.join(' ')}`, variables)).toEqual(costOf(merged));
      },
    ),
  );
});

test('fields of different types are counted for each, because both may be returned', () => {
  const [book, film] = ['... on Book { parts { id } }', '... on Film { parts { id } }'];
  const sum = costOf(`{ things { ${book} } }`).values + costOf(`{ things { ${film} } }`).values;
  // The list itself is one value in each.
  expect(costOf(`{ things { ${book} ${film} } }`).values).toBe(sum - 1);
});

test('a response has the fields of one type for each row, so its size is that of the longest type', () => {
  const bytesOf = (selected: string, variables = {}) =>
    costOf(`query ($x: Boolean = true) { things { __typename ${selected} } }`, variables).bytes;
  const [book, film] = ['... on Book { id title }', '... on Film { id parts @include(if: $x) { id } }'];
  expect(bytesOf(film)).toBeGreaterThan(bytesOf(book));
  expect(bytesOf(`${book} ${film}`)).toBe(bytesOf(film));
  expect(bytesOf(`${book} ${film}`, { x: false })).toBe(bytesOf(book));
});

test('a field with an enum has the size of the longest value', () => {
  expect(costOf('{ books { kind } }').bytes).toBe(costOf('{ books { form } }').bytes);
});

test('a field costs nothing in a place where it is left out, even if another place has it', () => {
  const costWith = (places: string) =>
    costOf(
      `query ($x: Boolean!) { books @include(if: $x) { ${places} } books { parts { id } } }
       fragment P on Book { parts { id title } }`,
      { x: false },
    );
  expect(costWith('other: parts { ...P } parts { ...P }')).toEqual(costOf('{ books { parts { id } } }'));
});

test('a field of an application that counts rows costs as the total of their list', () => {
  const countsOf = (query: string) => measure(selectionOf(bookshop.schema, parse(query), undefined))({}).counts;
  expect(countsOf('{ bookCount }')).toHaveLength(1);
  expect(countsOf('{ bookCount }')).toEqual(countsOf('{ books { totalCount } }'));
});
