import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { useFinder } from '../../../src/lifecycle/uses.ts';
import { bookSchema } from '../../support/books.ts';

const findUses = useFinder(bookSchema);

function usesOf(query: string, variables: object = {}, operationName?: string): string[] {
  const document = parse(query);
  expect(validate(bookSchema, document)).toEqual([]);
  const { always, given } = findUses(document, operationName);
  return (given?.({ ...variables }) ?? always).map(({ coordinate }) => coordinate).toSorted();
}

describe('what an operation uses of what is marked', () => {
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
    ['a default of a variable', 'query ($genre: Genre = COMIC) { books(genre: $genre) { id } }', ['Genre.COMIC']],
    [
      'several, each once',
      '{ book(bookId: 1) { isbn blurb score a: isbn } drafts { isbn } }',
      ['Book.blurb', 'Book.isbn', 'Book.score', 'Query.book', 'Query.drafts'],
    ],
  ])('sees %s', (_, query, expected) => {
    expect(usesOf(query)).toEqual(expected);
  });

  test.each<[string, string, object, string[]]>([
    [
      'an argument given by a variable',
      'query ($t: String) { books(title: $t) { id } }',
      { t: 'x' },
      ['Query.books(title:)'],
    ],
    ['the same, given as null', 'query ($t: String) { books(title: $t) { id } }', { t: null }, ['Query.books(title:)']],
    ['not one that is left out', 'query ($t: String) { books(title: $t) { id } }', {}, []],
    ['an enum value in a variable', 'query ($g: Genre) { books(genre: $g) { id } }', { g: 'COMIC' }, ['Genre.COMIC']],
    ['not another value', 'query ($g: Genre) { books(genre: $g) { id } }', { g: 'NOVEL' }, []],
    [
      'an input field in a variable',
      'mutation ($b: NewBook!) { addBook(book: $b) { id } }',
      { b: { title: 'x', pages: 3 } },
      ['NewBook.pages'],
    ],
    [
      'and not in another one',
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
      'one value for a list of them',
      'mutation ($p: [NewPart!]) { addBook(book: { title: "x", parts: $p }) { id } }',
      { p: { name: 'a', note: 'n' } },
      ['NewPart.note'],
    ],
    ['nothing in what does not fit', 'mutation ($b: NewBook!) { addBook(book: $b) { id } }', { b: 'text' }, []],
  ])('sees %s', (_, query, variables, expected) => {
    expect(usesOf(query, variables)).toEqual(expected);
  });

  test('sees only the operation that is asked for, and the fragments that it reaches', () => {
    const query = 'query A { books { ...F } } query B { drafts { id } } fragment F on Book { isbn }';
    expect(usesOf(query, {}, 'A')).toEqual(['Book.isbn']);
    expect(usesOf(query, {}, 'B')).toEqual(['Query.drafts']);
  });

  test('sees nothing in introspection, not even of what is marked', () => {
    const query =
      '{ __schema { types { fields(includeDeprecated: true) { name } } } __type(name: "Book") { name } __typename }';
    expect(usesOf(query)).toEqual([]);
  });

  test('is worked out once where variables make no difference', () => {
    const { always, given } = findUses(parse('{ books { isbn } }'), undefined);
    expect(always).toHaveLength(1);
    expect(given).toBeUndefined();
  });
});
