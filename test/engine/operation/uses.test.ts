import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { selectionOf } from '../../../src/engine/operation/selection.ts';
import { useFinder } from '../../../src/engine/operation/uses.ts';
import { bookSchema } from '../../support/books.ts';

const findUses = useFinder(bookSchema);

function usesOf(query: string, variables: object = {}, operationName?: string): string[] {
  const document = parse(query);
  expect(validate(bookSchema, document)).toEqual([]);
  const { always, given } = findUses(selectionOf(bookSchema, document, operationName));
  return [...always, ...given({ ...variables })].map(({ coordinate }) => coordinate).toSorted();
}

describe('the annotated elements that an operation uses', () => {
  test.each<[string, string, string[]]>([
    ['a root field', '{ drafts { id } }', ['Query.drafts']],
    ['a field within', '{ books { isbn } }', ['Book.isbn']],
    ['a field under an alias', '{ books { number: isbn } }', ['Book.isbn']],
    ['a field in a fragment', '{ books { ...Old } } fragment Old on Book { isbn }', ['Book.isbn']],
    [
      'a field in a fragment in a fragment',
      '{ books { ...A } } fragment A on Book { ...B } fragment B on Book { blurb }',
      ['Book.blurb'],
    ],
    ['a field in an inline fragment', '{ books { ... on Book { isbn } } }', ['Book.isbn']],
    ['an argument', '{ books(title: "x") { id } }', ['Query.books(title:)']],
    ['an enum value', '{ books(genre: COMIC) { id } }', ['Genre.COMIC']],
    ['an input field', 'mutation { addBook(book: { title: "x", pages: 3 }) { id } }', ['NewBook.pages']],
    ['an enum value in an input', 'mutation { addBook(book: { title: "x", genre: ZINE }) { id } }', ['Genre.ZINE']],
    [
      'an input field in a list',
      'mutation { addBook(book: { title: "x", parts: [{ name: "a" }, { name: "b", note: "c" }] }) { id } }',
      ['NewPart.note'],
    ],
    ['an argument by a default', 'query ($t: String = "x") { books(title: $t) { id } }', ['Query.books(title:)']],
    ['a default of a variable', 'query ($genre: Genre = COMIC) { books(genre: $genre) { id } }', ['Genre.COMIC']],
    [
      'several elements, each once',
      '{ book(bookId: 1) { isbn blurb score a: isbn } drafts { isbn } }',
      ['Book.blurb', 'Book.isbn', 'Book.score', 'Query.book', 'Query.drafts'],
    ],
  ])('include %s', (_, query, expected) => {
    expect(usesOf(query)).toEqual(expected);
  });

  test.each<[string, string, object, string[]]>([
    ...(
      [
        ['included by the first spread', { a: true, b: false }, ['Book.isbn']],
        ['included by the second spread', { a: false, b: true }, ['Book.isbn']],
        ['included by neither', { a: false, b: false }, []],
      ] as const
    ).map(([how, given, expected]): [string, string, object, string[]] => [
      `a fragment under two conditions, ${how}`,
      'query ($a: Boolean!, $b: Boolean!) { books { ...F @include(if: $a) ...F @include(if: $b) } } fragment F on Book { isbn }',
      given,
      [...expected],
    ]),
    ...[true, false].map((isBoth): [string, string, object, string[]] => [
      `a fragment within a fragment, under conditions of which ${isBoth ? 'both hold' : 'the inner does not'}`,
      'query ($a: Boolean!, $b: Boolean!) { books { ...A @include(if: $a) } } fragment A on Book { id ...B @skip(if: $b) } fragment B on Book { isbn }',
      { a: true, b: !isBoth },
      isBoth ? ['Book.isbn'] : [],
    ]),
    [
      'no field that is skipped and included by one variable',
      'query ($a: Boolean!) { books { id isbn @skip(if: $a) @include(if: $a) } }',
      { a: true },
      [],
    ],
    [
      'an argument given by a variable',
      'query ($t: String) { books(title: $t) { id } }',
      { t: 'x' },
      ['Query.books(title:)'],
    ],
    [
      'an argument given as null',
      'query ($t: String) { books(title: $t) { id } }',
      { t: null },
      ['Query.books(title:)'],
    ],
    ['no argument whose variable is absent', 'query ($t: String) { books(title: $t) { id } }', {}, []],
    [
      'no argument whose variable is absent, with the name of a method of all objects',
      'query ($constructor: String) { books(title: $constructor) { id } }',
      {},
      [],
    ],
    ['an enum value in a variable', 'query ($g: Genre) { books(genre: $g) { id } }', { g: 'COMIC' }, ['Genre.COMIC']],
    ['no enum value if the variable has another', 'query ($g: Genre) { books(genre: $g) { id } }', { g: 'NOVEL' }, []],
    [
      'an input field in a variable',
      'mutation ($b: NewBook!) { addBook(book: $b) { id } }',
      { b: { title: 'x', pages: 3 } },
      ['NewBook.pages'],
    ],
    [
      'no input field that the variable does not have',
      'mutation ($b: NewBook!) { addBook(book: $b) { id } }',
      { b: { title: 'x', length: 3 } },
      [],
    ],
    [
      'input fields and values deep in a variable',
      'mutation ($b: NewBook!) { addBook(book: $b) { isbn } }',
      { b: { title: 'x', genre: 'ZINE', parts: [{ name: 'a', note: 'n' }] } },
      ['Book.isbn', 'Genre.ZINE', 'NewPart.note'],
    ],
    [
      'a variable within an object',
      'mutation ($n: Int) { addBook(book: { title: "x", pages: $n }) { id } }',
      { n: 3 },
      ['NewBook.pages'],
    ],
    [
      'a single value for a list',
      'mutation ($p: [NewPart!]) { addBook(book: { title: "x", parts: $p }) { id } }',
      { p: { name: 'a', note: 'n' } },
      ['NewPart.note'],
    ],
    [
      'an input field that one of two variables gives',
      `mutation ($a: String, $b: String) {
        addBook(book: { title: "x", parts: [{ name: "a", note: $a }, { name: "b", note: $b }] }) { id }
      }`,
      { a: 'n' },
      ['NewPart.note'],
    ],
    [
      'a field once that is also selected under a condition',
      'query ($a: Boolean!) { books { isbn } drafts { isbn @include(if: $a) } }',
      { a: true },
      ['Book.isbn', 'Query.drafts'],
    ],
    [
      'no enum value in a variable that cannot even be converted to a string',
      'query ($g: Genre) { books(genre: $g) { id } }',
      { g: { toString: 'x' } },
      [],
    ],
    [
      'nothing in a variable of the wrong type',
      'mutation ($b: NewBook!) { addBook(book: $b) { id } }',
      { b: 'text' },
      [],
    ],
  ])('include %s', (_, query, variables, expected) => {
    expect(usesOf(query, variables)).toEqual(expected);
  });

  test.each<[string, string, object, string[]]>([
    ['a default that is overridden', 'query ($g: Genre = COMIC) { books(genre: $g) { id } }', { g: 'NOVEL' }, []],
    ['a default that is used', 'query ($g: Genre = COMIC) { books(genre: $g) { id } }', {}, ['Genre.COMIC']],
    ['a default that null overrides', 'query ($g: Genre = COMIC) { books(genre: $g) { id } }', { g: null }, []],
    [
      'a field that is not included',
      'query ($old: Boolean!) { books { id isbn @include(if: $old) } }',
      { old: false },
      [],
    ],
    [
      'a field that is included',
      'query ($old: Boolean!) { books { id isbn @include(if: $old) } }',
      { old: true },
      ['Book.isbn'],
    ],
    ['a field that is skipped', 'query ($new: Boolean!) { books { id isbn @skip(if: $new) } }', { new: true }, []],
    [
      'a condition with a default',
      'query ($old: Boolean = true) { books { id isbn @include(if: $old) } }',
      {},
      ['Book.isbn'],
    ],
    [
      'a condition without a variable',
      '{ books { id isbn @include(if: false) score @skip(if: false) } }',
      {},
      ['Book.score'],
    ],
    [
      'a root field with a condition',
      'query ($d: Boolean!) { drafts @include(if: $d) { isbn } books { id } }',
      { d: false },
      [],
    ],
    [
      'a fragment that is left out in one place and included in another',
      'query ($a: Boolean!) { books { ...F @include(if: $a) } drafts { ...F } } fragment F on Book { isbn }',
      { a: false },
      ['Book.isbn', 'Query.drafts'],
    ],
    [
      'a fragment that is left out',
      'query ($a: Boolean!) { books { id ...F @skip(if: $a) } } fragment F on Book { isbn }',
      { a: true },
      [],
    ],
    [
      'an inline fragment that is left out',
      'query ($a: Boolean!) { books { id ... @skip(if: $a) { isbn } } }',
      { a: true },
      [],
    ],
    [
      'two conditions, of which one does not hold',
      'query ($a: Boolean!, $b: Boolean!) { books { id isbn @include(if: $a) @skip(if: $b) } }',
      { a: true, b: true },
      [],
    ],
  ])('respect %s', (_, query, variables, expected) => {
    expect(usesOf(query, variables)).toEqual(expected);
  });

  test('are only those of the requested operation and its fragments', () => {
    const query = 'query A { books { ...F } } query B { drafts { id } } fragment F on Book { isbn }';
    expect(usesOf(query, {}, 'A')).toEqual(['Book.isbn']);
    expect(usesOf(query, {}, 'B')).toEqual(['Query.drafts']);
  });

  test('are found by one walk through the value of a variable, which may be long, however many fields take it', () => {
    const fields = Array.from({ length: 20 }, (_, n) => `a${n}: addBook(book: { title: "x", parts: $parts }) { id }`);
    let reads = 0;
    const parts = new Proxy([{ name: 'a' }, { name: 'b', note: 'c' }], {
      get(list, key) {
        if (key === '1') reads++;
        return Reflect.get(list, key);
      },
    });
    expect(usesOf(`mutation ($parts: [NewPart!]) { ${fields.join(' ')} }`, { parts })).toEqual(['NewPart.note']);
    expect(reads).toBe(1);
  });

  test('are looked for once in an input that contains itself', () => {
    const schema = buildSchema('type Query { find(where: Where): Int } input Where { not: Where name: String }');
    const document = parse('query ($where: Where) { find(where: $where) }');
    const { always, given } = useFinder(schema)(selectionOf(schema, document, undefined));
    expect([always, given({})]).toEqual([[], []]);
  });

  test('do not include anything in introspection', () => {
    const query =
      '{ __schema { types { fields(includeDeprecated: true) { name } } } __type(name: "Book") { name } __typename }';
    expect(usesOf(query)).toEqual([]);
  });

  test('are found once if variables make no difference', () => {
    const { always, given } = findUses(selectionOf(bookSchema, parse('{ books { isbn } }'), undefined));
    expect(always).toHaveLength(1);
    expect(given({})).toEqual([]);
  });
});
