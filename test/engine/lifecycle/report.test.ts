import fc from 'fast-check';
import { buildSchema, type GraphQLEnumType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { annotatedIn } from '../../../src/engine/lifecycle/annotated.ts';
import { deprecated } from '../../../src/engine/lifecycle/annotation.ts';
import { lifecycleReport, type ReportEntry, type Usage } from '../../../src/engine/lifecycle/report.ts';
import { Tally } from '../../../src/engine/lifecycle/tally.ts';
import { compileRoutes } from '../../../src/engine/rest/compile.ts';
import { restNamesOf } from '../../../src/engine/rest/lifecycle.ts';
import { bookRoutes, bookSchema } from '../../support/books.ts';

type UseCount = ReturnType<Tally['take']>[number];

const annotated = annotatedIn(bookSchema);
const rest = restNamesOf(compileRoutes(bookSchema, bookRoutes));

function entry(coordinate: string, now: string, usage: Partial<Usage> = {}, isRehearsal = false): ReportEntry {
  const counted: Usage = {
    countedSince: undefined,
    byDay: new Map(),
    clientCount: 0,
    clients: [],
    lastUsed: undefined,
    ...usage,
  };
  const entries = lifecycleReport(annotated, rest, new Map([[coordinate, counted]]), {
    now: new Date(now),
    isRehearsal,
  });
  return entries.find((one) => one.coordinate === coordinate) as ReportEntry;
}

describe('the verdict', () => {
  const long = { countedSince: new Date('2026-10-22T12:00:00Z') };
  const used = { ...long, byDay: new Map([['2026-11-20', 4]]), clientCount: 3 };

  test.each<[string, string, string, Partial<Usage>]>([
    ['Query.book', '2026-11-21T00:00:00Z', '3 clients left', used],
    ['Query.book', '2026-11-21T00:00:00Z', '1 client left', { ...used, clientCount: 1 }],
    ['Query.drafts', '2026-11-21T00:00:00Z', '3 clients in the last 30 days', used],
    ['Query.book', '2026-11-20T23:59:59Z', 'no use yet; counted for 29 days', long],
    ['Query.book', '2026-11-21T00:00:00Z', 'safe to remove after 2026-12-31: no use for 30 days', long],
    ['Query.book', '2026-12-31T23:59:59Z', 'safe to remove after 2026-12-31: no use for 30 days', long],
    ['Query.book', '2027-01-01T00:00:00Z', 'safe to remove: no use for 30 days', long],
    ['Query.drafts', '2026-11-21T00:00:00Z', 'no use for 30 days', long],
    ['Query.book', '2026-11-21T00:00:00Z', 'no use yet; counted since today', {}],
    ['Query.book', '2026-10-23T00:00:00Z', 'no use yet; counted for 1 day', long],
    // The clock of the process that began to count was ahead.
    ['Query.book', '2026-10-21T23:59:59Z', 'no use yet; counted since today', long],
    ['Book.isbn', '2027-11-21T00:00:00Z', 'REST responses contain it, so its use is not known', long],
  ])('of %s at %s is "%s"', (coordinate, now, verdict, usage) => {
    expect(entry(coordinate, now, usage).verdict).toBe(verdict);
  });
});

test('no use of an enum value does not mean that it can be removed, if clients get it unasked', () => {
  const annotation = deprecated({
    since: '2026-01-01',
    sunset: '2026-12-31',
    successor: { coordinate: 'Genre.NOVEL' },
    why: 'It was the first try.',
  });
  const removalOf = (sdl: string) => {
    const schema = buildSchema(`enum Genre { NOVEL COMIC } ${sdl}`);
    const [, comic] = (schema.getType('Genre') as GraphQLEnumType).getValues();
    Object.assign(comic ?? {}, { extensions: { lifecycle: annotation } });
    const usage: Usage = {
      countedSince: new Date(0),
      byDay: new Map(),
      clientCount: 0,
      clients: [],
      lastUsed: undefined,
    };
    const time = { now: new Date('2027-01-01T00:00:00Z'), isRehearsal: false };
    return lifecycleReport(annotatedIn(schema), rest, new Map([['Genre.COMIC', usage]]), time).map(
      ({ verdict, removal }) => `${removal}: ${verdict}`,
    );
  };
  expect(removalOf('type Query { books(genre: Genre): Int }')).toEqual(['safe: safe to remove: no use for 30 days']);
  expect(removalOf('type Query { books(genre: Genre): [Book!] } type Book { genre: Genre! }')).toEqual([
    'unknown: responses can contain it, so its use is not known',
  ]);
});

test('nothing is safe to remove while another day is rehearsed, because nothing is counted', () => {
  const { verdict, removal } = entry(
    'Query.book',
    '2028-01-01T00:00:00Z',
    { countedSince: new Date('2026-01-01') },
    true,
  );
  expect([verdict, removal]).toEqual(['not known while another day is rehearsed', 'unknown']);
});

describe('the report', () => {
  test('begins with the earliest sunset', () => {
    const entries = lifecycleReport(annotated, rest, new Map(), {
      now: new Date('2026-11-21T00:00:00Z'),
      isRehearsal: false,
    });
    expect(entries.map(({ deprecation, coordinate }) => deprecation?.sunset ?? coordinate)).toEqual([
      '2026-10-31',
      '2026-12-01',
      ...Array.from({ length: 5 }, () => '2026-12-31'),
      'Book.blurb',
      'Book.score',
      'Genre.ZINE',
      'NewPart.note',
      'Query.books(shelf:)',
      'Query.drafts',
      'Query.series(seriesId:)',
    ]);
  });

  test('has the REST operations of fields and arguments', () => {
    expect(entry('Query.book', '2026-11-21T00:00:00Z').operation).toBe('GET /books/{bookId}');
    expect(entry('Query.books(title:)', '2026-11-21T00:00:00Z').operation).toBe('GET /books');
    expect(entry('Genre.ZINE', '2026-11-21T00:00:00Z').operation).toBeUndefined();
    expect(entry('Query.book', '2026-11-21T00:00:00Z').deprecation?.successorOperation).toBe('GET /books?id={bookId}');
    const { restName, deprecation } = entry('Query.books(title:)', '2026-11-21T00:00:00Z');
    expect([restName, deprecation?.successorOperation]).toEqual(['title of GET /books', 'name of GET /books']);
  });

  test.each([
    ['2026-12-30T23:59:59Z', 1],
    ['2026-12-31T00:00:00Z', 0],
    ['2026-12-31T23:59:59Z', 0],
    ['2027-01-01T00:00:00Z', -1],
    ['2026-01-01T00:00:00Z', 364],
  ])('at %s has %i days left for a sunset on 2026-12-31', (now, days) => {
    expect(entry('Query.book', now).deprecation?.daysLeft).toBe(days);
  });
});

describe('a tally', () => {
  const use = fc.record({
    coordinate: fc.constantFrom('Query.a', 'Query.b'),
    client: fc.oneof(fc.constantFrom('shop', 'till'), fc.string({ maxLength: 8 })),
    at: fc.date({ min: new Date('2026-11-20T00:00:00Z'), max: new Date('2026-11-23T00:00:00Z'), noInvalidDate: true }),
  });
  const sum = (counts: readonly UseCount[]) => counts.reduce((total, { uses }) => total + uses, 0);

  test('counts each use once, under its day in UTC, even if counts are taken and restored meanwhile', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(use, fc.constantFrom('keep', 'take', 'fail'))), (steps) => {
        let now = new Date();
        const tally = new Tally(() => now);
        const stored: UseCount[] = [];
        for (const [{ coordinate, client, at }, then] of steps) {
          now = at;
          tally.add(coordinate, client);
          if (then === 'take') stored.push(...tally.take());
          if (then === 'fail') tally.restore(tally.take());
        }
        stored.push(...tally.take());
        expect(tally.take()).toEqual([]);
        const ofDay = (all: readonly { day: string }[], day: string) => all.filter((one) => one.day === day);
        for (const day of ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23']) {
          const days = steps.map(([{ at }]) => ({ day: at.toISOString().slice(0, 10) }));
          expect(sum(ofDay(stored, day) as UseCount[])).toBe(ofDay(days, day).length);
        }
        for (const count of stored) expect(count.lastSeen.toISOString().slice(0, 10)).toBe(count.day);
      }),
    );
  });

  test('has a bounded size: it counts clients beyond the maximum number of names together', () => {
    const tally = new Tally(() => new Date('2026-11-21T12:00:00Z'));
    for (let index = 0; index < 5_000; index++) tally.add('Query.a', `bot-${index}`);
    const counts = tally.take();
    expect([counts.length, sum(counts)]).toEqual([2_001, 5_000]);
    expect(counts.at(-1)).toMatchObject({ client: '(others)', uses: 3_000 });
  });
});
