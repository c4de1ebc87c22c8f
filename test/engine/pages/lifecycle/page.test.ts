import { afterAll, describe, expect, test, vi } from 'vitest';
import type { ReportEntry, Usage } from '../../../../src/engine/lifecycle/report.ts';
import { lifecyclePage } from '../../../../src/engine/pages/lifecycle.ts';
import { busyUsage, exampleAnnotations, exampleReport, NOON, noUsage } from '../../../support/annotations.ts';
import { defaultRules } from '../../../support/rules.ts';

const ORIGIN = 'https://pets.example';
const at = (now: Date) => ({ ...defaultRules, clock: () => now });
const pageOf = (entries: readonly ReportEntry[], now = NOON) =>
  lifecyclePage('Pet store', entries, at(now), '/api/v1', ORIGIN);
const busy = pageOf(exampleReport(busyUsage));

/** The visible text of an element's card. */
function cardOf(page: string, coordinate: string): string {
  const [, found = ''] = page.split(`<article class="annotation" id="${coordinate}">`);
  return textOf(found.slice(0, found.indexOf('</article>')));
}

/** The visible text of an element's line among those without uses. */
function lineOf(page: string, coordinate: string): string {
  const [, found = ''] = page.split(`<li class="line" id="${coordinate}">`);
  return textOf(found.slice(0, found.indexOf('</li>')));
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('the lifecycle page', () => {
  test.each(exampleAnnotations.map(({ coordinate }) => coordinate))('shows %s under its coordinate', (coordinate) => {
    expect(busy.split(` id="${coordinate}"`)).toHaveLength(2);
    expect(busy.split(`href="#${coordinate}"`).length).toBeGreaterThan(1);
    expect(cardOf(busy, coordinate) + lineOf(busy, coordinate)).toContain(coordinate);
  });

  test('shows the dates of a deprecated element, its replacement, the reason and a verdict', () => {
    const text = cardOf(busy, 'Query.book');
    expect(text).toMatch(/^GET \/books\/\{bookId\} deprecated Query\.book 140 clients left/);
    expect(text).toContain('Sunset 31 December 2027 405 days left Deprecated since 1 July 2026');
    expect(text).toContain('Use instead GET /books Query.books');
    expect(text).toContain('Why Lists take many ids at once and answer in one shape.');
  });

  test('shows the brownouts of an element that are not over, and what happens after its sunset', () => {
    const hour = (day: string, coordinate?: string) => {
      return { coordinate, from: new Date(`${day}T11:00:00Z`), until: new Date(`${day}T12:00:00Z`) };
    };
    const brownouts = [hour('2026-11-21'), hour('2026-12-01', 'Query.book'), hour('2028-01-01')];
    const rules = { ...at(NOON), sunset: 'enforce', brownouts } as const;
    const page = lifecyclePage('Pet store', exampleReport(busyUsage), rules, '', ORIGIN);
    expect(cardOf(page, 'Query.book')).toContain(
      'After its sunset it is rejected: 410 GONE Brownouts 1 Dec 2026, 11:00 to 1 Dec 2026, 12:00 , UTC',
    );
    expect(cardOf(page, 'Query.books(genre:)')).not.toContain('Brownouts');
    expect(cardOf(busy, 'Query.book')).toContain('After its sunset it keeps working');
  });

  test('says in a rehearsal which day it shows', () => {
    const page = lifecyclePage('Pet store', exampleReport(), { ...at(NOON), isRehearsal: true }, '/api/v1', ORIGIN);
    expect(textOf(page)).toContain('A rehearsal. This page and all responses are those of 21 November 2026 ,');
    expect(textOf(busy)).not.toContain('A rehearsal.');
  });

  test('shows that a deprecated element was beta', () => {
    expect(cardOf(busy, 'Mutation.lendBook')).toMatch(
      /^POST \/libraries\S+\/loans deprecated beta Mutation\.lendBook /,
    );
  });

  test('shows what beta and experimental promise', () => {
    expect(cardOf(busy, 'Query.search')).toContain('Breaking changes are announced 30 days ahead.');
    expect(textOf(busy)).toContain('experimental It can change or be removed at any time, without notice.');
  });

  test('has a line for what is beta or experimental and has no uses', () => {
    expect(lineOf(busy, 'Query.feed')).toBe('GET /feed experimental Query.feed No use yet; counted since today');
    expect(cardOf(busy, 'Query.feed')).toBe('');
    expect(lineOf(pageOf(exampleReport(noUsage)), 'Query.search')).toMatch(
      / beta Query.search No use yet; counted since today$/,
    );
  });

  test('shows only what is deprecated on the timeline', () => {
    const timeline = busy.slice(busy.indexOf('<h2>Timeline</h2>'), busy.indexOf('<h2>Who uses what</h2>'));
    const shown = [...timeline.matchAll(/<a href="#(.*?)"/g)].map(([, coordinate]) => coordinate);
    expect(shown).toEqual(['Query.shelf', 'Mutation.lendBook', 'Query.books(genre:)', 'Query.book']);
    const beta = exampleReport(busyUsage).filter(({ level }) => level === 'beta');
    expect(pageOf(beta)).not.toContain('Timeline');
  });

  test('shows the operation of an argument', () => {
    expect(cardOf(busy, 'Query.books(genre:)')).toMatch(/^Query\.books\(genre:\) deprecated argument of GET \/books /);
  });

  test('shows that a sunset is past, and that the element is safe to remove', () => {
    const text = cardOf(busy, 'Query.shelf');
    expect(text).toContain('18 November 2026 ended 3 days ago');
    expect(text).toContain('Safe to remove: no use for 30 days');
    expect(textOf(busy)).toContain('ended 18 Nov 2026');
  });

  test('says from when an unused element is safe to remove', () => {
    const book = { ...busyUsage, 'Query.book': busyUsage['Query.shelf'] as Usage };
    expect(cardOf(pageOf(exampleReport(book)), 'Query.book')).toContain(
      'Safe to remove after 31 December 2027: no use for 30 days',
    );
  });

  test('says from when an element will be deprecated', () => {
    const before = new Date('2026-06-30T23:59:59Z');
    expect(cardOf(pageOf(exampleReport({}, before), before), 'Query.book')).toContain('Deprecated from 1 July 2026');
  });

  test('shows the uses of every day, and the largest count', () => {
    const { byDay } = busyUsage['Mutation.lendBook'] as Usage;
    const text = cardOf(busy, 'Mutation.lendBook');
    expect(text).toContain('12,349 uses in the last 30 days');
    expect(text).toContain('12,345 uses 23 October 2026: 0 uses');
    expect(text).toContain('1 November 2026: 12,345 uses');
    expect(text).toContain('23 Oct 21 Nov, today');
    expect(busy).toContain('most on 1 November 2026: 12,345 uses."');
    expect([...byDay.values()].reduce((sum, uses) => sum + uses)).toBe(12_349);
  });

  test('says since when uses are counted, if that is not the whole window', () => {
    expect(cardOf(busy, 'Query.search')).toContain('102 uses since 9 November 2026');
    expect(busy).toContain('text-anchor="middle">not counted yet</text>');
    expect(cardOf(busy, 'Query.search')).toContain('8 November 2026: not counted yet');
  });

  test('lists the clients of an element, and when each was last seen, in UTC', () => {
    expect(cardOf(busy, 'Mutation.lendBook')).toContain(
      '3 clients, the most uses first Client Uses Last seen, UTC shop-app 6,175 21 Nov, 11:56 warehouse-sync 3,088 21 Nov, 10:56',
    );
    expect(busy).toContain('<time datetime="2026-11-21T11:56:00.000Z">');
  });

  test('folds all but a few clients away, and says how many are not listed', () => {
    const text = cardOf(busy, 'Query.book');
    expect(text).toContain('140 clients, the most uses first');
    expect(text).toContain(' 92 more ');
    expect(text).toContain('integration-99');
    expect(text).toContain('and 40 more, not listed');
    expect(text).toContain('(others) counts the clients beyond the maximum number of names.');
    expect(cardOf(busy, 'Mutation.lendBook')).not.toMatch(/more|\(others\)/);
  });

  test('begins with a summary and the next sunset', () => {
    expect(textOf(busy)).toContain(
      '4 deprecated, 1 beta, 1 experimental; everything outside of them is stable. The next sunset is that of POST /libraries/{libraryId}/branches/{branchId}/books/{bookId}/loans on 24 December 2026 : 33 days left.',
    );
    const beta = exampleReport(busyUsage).filter(({ level }) => level === 'beta');
    expect(textOf(pageOf(beta))).toContain('1 beta; everything outside of them is stable. No sunset is planned.');
  });

  test('links to the calendar and the JSON, under the base path', () => {
    expect(busy).toContain('href="/api/v1/lifecycle.ics"');
    expect(busy).toContain("curl -H 'accept: application/json' 'https://pets.example/api/v1/lifecycle'");
  });

  test('has no script, and loads nothing', () => {
    expect(busy).not.toMatch(/<script|javascript:|\son\w+=|<link[^>]*https?:|src=|url\(|@import/);
  });
});

describe('the lifecycle page without', () => {
  test('annotations says that everything is stable', () => {
    const text = textOf(pageOf([]));
    expect(text).toContain('Everything is stable.');
    expect(text).not.toMatch(/Timeline|Who uses what|everything else/);
  });

  test('uses says since when there is none, and what counts as a use', () => {
    const report = exampleReport(noUsage);
    const page = pageOf(report);
    for (const { coordinate } of report.filter(({ deprecation }) => deprecation !== undefined)) {
      expect(cardOf(page, coordinate)).toContain('No use counted since 21 November 2026 .');
    }
    expect(textOf(page)).toContain('A use is a call of the operation over REST');
    expect(page).not.toMatch(/class="chart"|class="clients"/);
  });

  test('uses makes no statement about the time before the window', () => {
    expect(cardOf(busy, 'Query.shelf')).toContain('No use counted since 23 October 2026 .');
  });

  test('any counting says that uses are not counted yet', () => {
    expect(cardOf(pageOf(exampleReport({})), 'Query.book')).toContain('Its uses are not counted yet.');
  });
});

describe('untrusted text', () => {
  const HOSTILE = `"><script>alert('1')</script>&amp;`;
  const usage: Usage = {
    countedSince: NOON,
    byDay: new Map([['2026-11-21', 1]]),
    clientCount: 1,
    clients: [{ client: HOSTILE, uses: 1, lastSeen: NOON }],
    lastUsed: NOON,
  };

  test('is escaped', () => {
    const entries = exampleReport(busyUsage).map((entry) => ({
      ...entry,
      coordinate: `Query.${HOSTILE}`,
      operation: entry.operation && `GET /${HOSTILE}`,
      usage,
      verdict: HOSTILE,
      deprecation: entry.deprecation && {
        ...entry.deprecation,
        successor: HOSTILE,
        successorOperation: HOSTILE,
        why: HOSTILE,
      },
    }));
    const page = lifecyclePage('Pet store', entries, at(NOON), `/${HOSTILE}`, HOSTILE);
    expect(page).not.toMatch(/<script|"&#62;<|&amp;/);
    expect(page.split('&#34;&#62;&#60;script&#62;').length).toBeGreaterThan(30);
  });
});

describe('days are in UTC', () => {
  const zone = process.env.TZ;
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  test.each([
    ['Pacific/Kiritimati', -840],
    ['America/Los_Angeles', 480],
    ['UTC', 0],
  ])('on a machine in %s', async (name, offset) => {
    process.env.TZ = name;
    expect(NOON.getTimezoneOffset()).toBe(offset);
    // Date formatters read the machine's time zone when they are created.
    vi.resetModules();
    const there = await import('../../../../src/engine/pages/lifecycle.ts');
    const pageAt = (instant: string) => {
      const now = new Date(instant);
      return textOf(there.lifecyclePage('Pet store', exampleReport(busyUsage, now), at(now), '', ORIGIN));
    };
    expect(pageAt('2027-12-30T00:00:00Z')).toContain('31 December 2027 1 day left');
    expect(pageAt('2027-12-30T23:59:59.999Z')).toContain('31 December 2027 1 day left');
    expect(pageAt('2027-12-31T00:00:00Z')).toContain('31 December 2027 today is its last day');
    expect(pageAt('2027-12-31T23:59:59.999Z')).toContain('31 December 2027 today is its last day');
    expect(pageAt('2027-12-31T23:59:59.999Z')).toContain('on 31 December 2027 : today is its last day.');
    expect(pageAt('2027-12-31T23:59:59.999Z')).toContain('Today, 31 Dec 2027');
    expect(pageAt('2028-01-01T00:00:00Z')).toContain('31 December 2027 ended 1 day ago');
    expect(pageAt('2028-01-01T00:00:00Z')).toContain('Today, 1 Jan 2028');
    expect(there.lifecyclePage('Pet store', exampleReport(busyUsage), at(NOON), '/api/v1', ORIGIN)).toBe(busy);
  });
});
