import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import type { ReportEntry } from '../../../../src/engine/lifecycle/report.ts';
import { lifecycleCalendar } from '../../../../src/engine/pages/calendar.ts';
import { busyUsage, exampleReport } from '../../../support/annotations.ts';

const BASE = 'https://pets.example/api/v1';
const entries = exampleReport();
const NAMES = { title: 'Pet store', name: 'pet-store' };
const calendar = lifecycleCalendar(NAMES, entries, BASE);

/** The content lines by RFC 5545, section 3.1, without the help of the library that wrote them. */
function linesOf(text: string): string[] {
  return text.replaceAll('\r\n ', '').split('\r\n');
}

/** The value of a text property by section 3.3.11. */
function textOf(lines: readonly string[], name: string): string | undefined {
  const line = lines.find((candidate) => candidate.startsWith(`${name}:`));
  return line?.slice(name.length + 1).replaceAll(/\\(.)/g, (_, next) => (/n/i.test(next) ? '\n' : next));
}

function eventsOf(text: string): string[][] {
  return linesOf(text)
    .join('\n')
    .split('BEGIN:VEVENT\n')
    .slice(1)
    .map((event) => event.split('\n'));
}

/** The report with another reason for the deprecations. */
function because(why: string): ReportEntry[] {
  return entries.map((entry) => ({ ...entry, deprecation: entry.deprecation && { ...entry.deprecation, why } }));
}

describe('the calendar of sunsets', () => {
  test('has a whole-day event for each deprecated element, the earliest sunset first', () => {
    const found = eventsOf(calendar).map((lines) => [
      textOf(lines, 'UID'),
      lines[2],
      lines[3],
      textOf(lines, 'SUMMARY'),
    ]);
    expect(found).toEqual([
      ...[
        ['sunset-of-Query.shelf@pet-store', '20261118', '20261119', 'GET /shelves/{shelfId}'],
        [
          'sunset-of-Mutation.lendBook@pet-store',
          '20261224',
          '20261225',
          'POST /libraries/{libraryId}/branches/{branchId}/books/{bookId}/loans',
        ],
        ['sunset-of-Query.books(genre:)@pet-store', '20270331', '20270401', 'Query.books(genre:)'],
        ['sunset-of-Query.book@pet-store', '20271231', '20280101', 'GET /books/{bookId}'],
      ].map(([uid, start, end, name]) => [
        uid,
        `DTSTART;VALUE=DATE:${start}`,
        `DTEND;VALUE=DATE:${end}`,
        `Sunset: ${name}`,
      ]),
    ]);
  });

  test('says of a parameter that it ends, and not its operation', () => {
    expect(textOf(eventsOf(calendar)[2] ?? [], 'DESCRIPTION')).toContain(
      'on which Query.books(genre:) (genre of GET /books) is served.',
    );
  });

  test('describes the reason and the replacement, with a link to the lifecycle page', () => {
    const lines = eventsOf(calendar)[3] ?? [];
    expect(textOf(lines, 'DESCRIPTION')).toBe(
      [
        'The last day, in UTC, on which Query.book (GET /books/{bookId}) is served. It is deprecated from 1 July 2026 on.',
        'Lists take many ids at once and answer in one shape.',
        'Use Query.books (GET /books) instead.',
        `${BASE}/lifecycle#Query.book`,
      ].join('\n'),
    );
    expect(lines).toContain(`URL:${BASE}/lifecycle#Query.book`);
    expect(lines).toContain('DTSTAMP:20260701T000000Z');
    expect(lines).toContain('TRANSP:TRANSPARENT');
    expect(lines.slice(lines.indexOf('BEGIN:VALARM') + 1, lines.indexOf('END:VALARM'))).toEqual([
      'ACTION:DISPLAY',
      'DESCRIPTION:Sunset: GET /books/{bookId}',
      'TRIGGER:-P30D',
    ]);
  });

  test('has its name and its refresh interval', () => {
    expect(linesOf(calendar).slice(0, 6)).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Pet store//Lifecycle//EN',
      'X-WR-CALNAME:Pet store: sunsets',
      'REFRESH-INTERVAL;VALUE=DURATION:P1D',
      'X-PUBLISHED-TTL:P1D',
    ]);
  });

  test('changes only if an annotation changes, not with time or uses', () => {
    const later = exampleReport(busyUsage, new Date('2029-01-01T00:00:00Z'));
    expect(lifecycleCalendar(NAMES, later, BASE)).toBe(calendar);
    expect(lifecycleCalendar(NAMES, because('Otherwise.'), BASE)).not.toBe(calendar);
  });

  test('has no events if nothing is deprecated', () => {
    const none = lifecycleCalendar(
      NAMES,
      entries.filter(({ deprecation }) => deprecation === undefined),
      BASE,
    );
    expect(none).not.toContain('VEVENT');
    expect(new ICAL.Component(ICAL.parse(none)).name).toBe('vcalendar');
  });
});

describe('RFC 5545', () => {
  const why = fc.string({ unit: 'grapheme', maxLength: 200 });

  test('lines MUST end in CRLF, and SHOULD NOT be longer than 75 octets', () => {
    fc.assert(
      fc.property(why, (given) => {
        const text = lifecycleCalendar(NAMES, because(given), BASE);
        expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
        expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        for (const line of text.split('\r\n')) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
          // A fold MUST NOT be in the middle of a character.
          expect(line.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  test('commas, semicolons, backslashes and line breaks in text keep their values', () => {
    fc.assert(
      fc.property(
        fc.oneof(why, fc.string({ unit: fc.constantFrom(',', ';', '\\', 'n', 'N', '\n', ':', '"', 'é') })),
        (given) => {
          const text = lifecycleCalendar(NAMES, because(given), BASE);
          const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
          expect(events).toHaveLength(4);
          for (const event of events) {
            expect(String(event.getFirstPropertyValue('description')).split('\n').slice(1, -2).join('\n')).toBe(given);
          }
          for (const lines of eventsOf(text)) {
            expect(textOf(lines, 'DESCRIPTION')?.split('\n').slice(1, -2).join('\n')).toBe(given);
          }
        },
      ),
    );
  });
});
