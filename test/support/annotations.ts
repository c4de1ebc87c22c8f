import { buildSchema } from 'graphql';
import { type Annotated, annotatedIn, membersOf } from '../../src/engine/lifecycle/annotated.ts';
import {
  type Annotation,
  beta,
  DAY_MILLISECONDS,
  deprecated,
  experimental,
  toDay,
} from '../../src/engine/lifecycle/annotation.ts';
import { type ClientUse, lifecycleReport, type ReportEntry, type Usage } from '../../src/engine/lifecycle/report.ts';

/** The time of the report below. */
export const NOON = new Date('2026-11-21T12:00:00Z');

const schema = buildSchema(`
  type Query { book(id: ID): Book, books(first: Int, genre: Genre): [Book], shelf: Book, search: Book, feed: Book }
  type Book { title: String, isbn: String }
  enum Genre { NOVEL, POEM }
  type Mutation { lendBook: Book, returnBook: Book }
`);

const declared: Readonly<Record<string, Annotation | readonly Annotation[]>> = {
  'Query.book': deprecated({
    since: '2026-07-01',
    sunset: '2027-12-31',
    successor: { coordinate: 'Query.books' },
    why: 'Lists take many ids at once and answer in one shape.',
  }),
  'Query.shelf': deprecated({
    since: '2026-01-15',
    sunset: '2026-11-18',
    successor: { coordinate: 'Query.books' },
    why: 'Shelves are a filter of the list now.',
  }),
  'Mutation.lendBook': [
    beta(),
    deprecated({
      since: '2026-10-20',
      sunset: '2026-12-24',
      successor: { coordinate: 'Mutation.returnBook' },
      why: 'Lending & returning became <one> operation.',
    }),
  ],
  'Query.books(genre:)': deprecated({
    since: '2026-04-01',
    sunset: '2027-03-31',
    successor: { coordinate: 'Query.search' },
    why: 'The search knows genres, and more.',
  }),
  'Query.search': beta(),
  'Query.feed': experimental(),
};

const names = new Map([
  ['Query.book', 'GET /books/{bookId}'],
  ['Query.books', 'GET /books'],
  ['Query.shelf', 'GET /shelves/{shelfId}'],
  ['Mutation.lendBook', 'POST /libraries/{libraryId}/branches/{branchId}/books/{bookId}/loans'],
  ['Query.search', 'GET /search'],
  ['Query.feed', 'GET /feed'],
  ['Query.books(genre:)', 'genre of GET /books'],
]);

for (const { coordinate, element } of membersOf(schema)) {
  if (declared[coordinate] !== undefined) element.extensions = { lifecycle: declared[coordinate] };
}

/** Annotations of every kind: deprecated, past its sunset, deprecated in beta, an argument, beta, and experimental. */
export const exampleAnnotations: readonly Annotated[] = annotatedIn(schema);

/** The report of the example annotations with the usage by coordinate; without usage an element is not counted yet. */
export function exampleReport(usage: Readonly<Record<string, Usage>> = {}, now = NOON): ReportEntry[] {
  return lifecycleReport(
    exampleAnnotations,
    { names, successors: new Map(), answered: new Set() },
    new Map(Object.entries(usage)),
    {
      now,
      isRehearsal: false,
    },
  );
}

const NAMES = ['shop-app', 'warehouse-sync', '@acme/storefront', 'x'.repeat(64), 'curl', '(others)', '(unknown)'];

/** Counted for months, with days and clients of every size; one annotated element has no use. */
export const busyUsage: Readonly<Record<string, Usage>> = {
  'Query.book': usageOf(140, 30, (day) => 20 + ((day * 37) % 61) + (day % 7 > 4 ? 0 : 80)),
  'Query.shelf': usageOf(0, 0, () => 0),
  'Mutation.lendBook': usageOf(3, 30, (day) => (day % 9 === 0 ? 1 : day === 20 ? 12_345 : 0)),
  'Query.books(genre:)': usageOf(1, 30, (day) => (day === 3 ? 1 : 0)),
  'Query.search': usageOf(14, 12, (day) => 3 + day),
};

/** Nothing used, counted since noon. */
export const noUsage: Readonly<Record<string, Usage>> = Object.fromEntries(
  Object.keys(declared).map((coordinate) => [
    coordinate,
    { countedSince: NOON, byDay: new Map(), clientCount: 0, clients: [], lastUsed: undefined },
  ]),
);

/**
 * @param clientCount the number of clients; the first hundred are listed
 * @param days the number of days since the first use
 * @param usesOn gives the uses by the number of days ago
 */
function usageOf(clientCount: number, days: number, usesOn: (daysAgo: number) => number): Usage {
  const ago = (many: number) => new Date(NOON.getTime() - many * DAY_MILLISECONDS);
  const byDay = Array.from({ length: days }, (_, index) => [toDay(ago(index)), usesOn(index)] as const);
  const total = byDay.reduce((sum, [, uses]) => sum + uses, 0);
  return {
    countedSince: ago(days === 12 ? 12 : 140),
    byDay: new Map(byDay.filter(([, uses]) => uses > 0)),
    clientCount,
    lastUsed: clientCount === 0 ? undefined : clientUse(0, total).lastSeen,
    clients: Array.from({ length: Math.min(clientCount, 100) }, (_, index) => clientUse(index, total)),
  };
}

function clientUse(index: number, total: number): ClientUse {
  const lastSeen = new Date(NOON.getTime() - (index * index * 7 + index * 53 + 4) * 60_000);
  return { client: NAMES[index] ?? `integration-${index}`, uses: Math.ceil(total / 2 ** (index + 1)), lastSeen };
}
