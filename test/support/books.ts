import SchemaBuilder from '@pothos/core';
import { beta, deprecated, experimental } from '../../src/engine/lifecycle/annotation.ts';
import { text } from '../../src/engine/schema/bounds.ts';
import '../../src/engine/schema/plugin.ts';
import { gql, ok, type Route, route, rows } from '../../src/engine/rest/route.ts';

/** A schema of another domain, in which every kind of element has an annotation of each kind. */
const builder = new SchemaBuilder<{ DefaultFieldNullability: false }>({
  plugins: ['engine'],
  defaultFieldNullability: false,
});

const why = 'It was the first try.';
const bounds = text({ min: 0, max: 1_000 });
const year = { since: '2026-01-01', sunset: '2026-12-31', why };

const Genre = builder.enumType('Genre', {
  description: 'What kind of book.',
  values: {
    NOVEL: { description: 'A novel.' },
    COMIC: { description: 'A comic.', lifecycle: deprecated({ ...year, successor: { coordinate: 'Genre.NOVEL' } }) },
    ZINE: { description: 'A zine.', lifecycle: experimental() },
  },
});

interface BookRow {
  readonly id: number;
  readonly title: string;
}

const Book = builder.objectRef<BookRow>('Book').implement({
  description: 'A book.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Its number.' }),
    title: t.exposeString('title', { description: 'Its title.' }),
    isbn: t.string({
      lifecycle: deprecated({ ...year, sunset: '2026-10-31', successor: { coordinate: 'Book.id' } }),
      description: 'Its number of old.',
      resolve: ({ id }) => `isbn-${id}`,
    }),
    blurb: t.string({ lifecycle: beta(), description: 'Praise.', resolve: () => 'Good.' }),
    score: t.int({ lifecycle: experimental(), description: 'Its score.', resolve: () => 5 }),
  }),
});

const NewPart = builder.inputType('NewPart', {
  description: 'A part to be.',
  fields: (t) => ({
    name: t.string({ required: true, bounds, description: 'Its name.' }),
    note: t.string({ bounds, lifecycle: beta(), description: 'A note.' }),
  }),
});

const NewBook = builder.inputType('NewBook', {
  description: 'A book to be.',
  fields: (t) => ({
    title: t.string({ required: true, bounds, description: 'Its title.' }),
    genre: t.field({ type: Genre, description: 'Its genre.' }),
    pages: t.int({
      lifecycle: deprecated({ ...year, successor: { coordinate: 'NewBook.length' } }),
      description: 'How long it is.',
    }),
    length: t.int({ description: 'How long it is.' }),
    parts: t.field({ type: [NewPart], description: 'Its parts.' }),
  }),
});

const stored: BookRow[] = [1, 2, 3].map((id) => ({ id, title: `Book ${id}` }));

builder.queryType({
  description: 'Reads.',
  fields: (t) => ({
    book: t.field({
      type: Book,
      nullable: true,
      lifecycle: deprecated({ ...year, successor: { coordinate: 'Query.books', args: { id: 'bookId' } } }),
      description: 'Get a book.',
      args: { bookId: t.arg.int({ required: true, description: 'Its number.' }) },
      resolve: (_, { bookId }) => stored.find(({ id }) => id === bookId),
    }),
    books: t.field({
      type: [Book],
      description: 'List books.',
      args: {
        id: t.arg.intList({ description: 'Only these.' }),
        genre: t.arg({ type: Genre, description: 'Only this genre.' }),
        name: t.arg.string({ bounds, description: 'Only with this title.' }),
        title: t.arg.string({
          bounds,
          lifecycle: deprecated({ ...year, successor: { coordinate: 'Query.books(name:)' } }),
          description: 'Only with this title.',
        }),
        series: t.arg.int({
          lifecycle: deprecated({ ...year, successor: { coordinate: 'Query.series' } }),
          description: 'Only of this series.',
        }),
        shelf: t.arg.string({ bounds, lifecycle: experimental(), description: 'Only on this shelf.' }),
      },
      resolve: (_, { id }) => stored.filter((book) => id?.includes(book.id) ?? true),
    }),
    reviews: t.field({
      type: [Book],
      lifecycle: [
        beta(),
        deprecated({ since: '2026-11-01', sunset: '2026-12-01', why, successor: { coordinate: 'Query.books' } }),
      ],
      description: 'List books that were reviewed.',
      args: { genre: t.arg({ type: Genre, description: 'Only this genre.' }) },
      resolve: () => stored,
    }),
    series: t.field({
      type: [Book],
      description: 'List the books of a series.',
      args: { seriesId: t.arg.int({ required: true, lifecycle: beta(), description: 'Its number.' }) },
      resolve: () => stored,
    }),
    drafts: t.field({
      type: [Book],
      lifecycle: experimental(),
      description: 'List books that are not done.',
      resolve: () => [],
    }),
  }),
});

builder.mutationType({
  description: 'Writes.',
  fields: (t) => ({
    addBook: t.field({
      type: Book,
      scope: 'books:write',
      description: 'Add a book.',
      args: { book: t.arg({ type: NewBook, required: true, description: 'The book.' }) },
      resolve: (_, { book }) => ({ id: 9, title: book.title }),
    }),
  }),
});

export const bookSchema = builder.toSchema({ sortSchema: false });

const BookFields = 'fragment Book on Book { id title isbn blurb }';
const tag = 'Books';

export const bookRoutes: readonly Route[] = [
  route('GET', '/books', {
    tag,
    operation: gql`query listBooks($id: [Int!], $genre: Genre, $name: String, $title: String, $series: Int, $shelf: String) {
      books(id: $id, genre: $genre, name: $name, title: $title, series: $series, shelf: $shelf) { ...Book }
    } ${BookFields}`,
    reply: rows(),
  }),
  route('POST', '/books', {
    tag,
    operation: gql`mutation addBook($book: NewBook!) { addBook(book: $book) { ...Book } } ${BookFields}`,
    reply: ok(),
  }),
  route('GET', '/books/{bookId}', {
    tag,
    operation: gql`query getBook($bookId: Int!) { book(bookId: $bookId) { ...Book } } ${BookFields}`,
    reply: ok('No book has the number {bookId}.'),
  }),
  route('GET', '/reviews', {
    tag,
    operation: gql`query listReviews($genre: Genre) { reviews(genre: $genre) { ...Book } } ${BookFields}`,
    reply: rows(),
  }),
  route('GET', '/series/{seriesId}', {
    tag,
    operation: gql`query listSeries($seriesId: Int!) { series(seriesId: $seriesId) { ...Book } } ${BookFields}`,
    reply: rows(),
  }),
  route('GET', '/drafts', {
    tag,
    operation: gql`query listDrafts { drafts { ...Book } } ${BookFields}`,
    reply: rows(),
  }),
];
