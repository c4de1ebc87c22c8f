import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MILLISECONDS, toDay } from '../../../../src/engine/lifecycle/annotation.ts';
import type { ReportEntry } from '../../../../src/engine/lifecycle/report.ts';
import { dayBars, usesChart } from '../../../../src/engine/pages/lifecycle/chart.ts';
import { barOf, scaleOf, timeline } from '../../../../src/engine/pages/lifecycle/timeline.ts';
import { exampleReport, NOON } from '../../../support/annotations.ts';

const instant = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const term = fc.tuple(instant, instant).map((dates) => {
  const [since, sunset] = dates.map(toDay).sort() as [string, string];
  return { since, sunset };
});
const terms = fc.array(term, { minLength: 1, maxLength: 6 });

function deprecatedFor({ since, sunset }: { since: string; sunset: string }): ReportEntry {
  const [entry] = exampleReport().filter(({ deprecation }) => deprecation !== undefined) as [ReportEntry];
  const { deprecation } = entry as { deprecation: NonNullable<ReportEntry['deprecation']> };
  return { ...entry, deprecation: { ...deprecation, since, sunset } };
}

describe('the timeline, with any dates', () => {
  test('each bar is within the drawing, its past before its future', () => {
    fc.assert(
      fc.property(terms, instant, (given, now) => {
        const scale = scaleOf(given.map(deprecatedFor), now);
        for (const one of given) {
          const { from, split, until } = barOf(one, now, scale);
          expect([0, from, split, until, 100]).toEqual([0, from, split, until, 100].sort((a, b) => a - b));
        }
      }),
    );
  });

  test('earlier dates are further left, and today is among them', () => {
    fc.assert(
      fc.property(terms, instant, (given, now) => {
        const scale = scaleOf(given.map(deprecatedFor), now);
        const dates = [now, ...given.flatMap(({ since, sunset }) => [new Date(since), new Date(sunset)])];
        const inOrder = dates.sort((one, other) => one.getTime() - other.getTime()).map(scale.at);
        expect(inOrder).toEqual([...inOrder].sort((one, other) => one - other));
      }),
    );
  });

  test('there are few ticks, within the drawing, from left to right', () => {
    fc.assert(
      fc.property(terms, instant, (given, now) => {
        const places = scaleOf(given.map(deprecatedFor), now).ticks.map(({ at }) => at);
        expect(places.length).toBeLessThanOrEqual(9);
        expect(places.every((at) => at >= 0 && at <= 100)).toBe(true);
        expect(places).toEqual([...new Set(places)].sort((one, other) => one - other));
      }),
    );
  });

  test('everything is within the drawing', () => {
    fc.assert(fc.property(terms, instant, (given, now) => assertWithin(timeline(given.map(deprecatedFor), now))));
  });
});

describe('the ticks of a timeline', () => {
  const labels = (since: string, sunset: string, now: string) =>
    scaleOf([deprecatedFor({ since, sunset })], new Date(now)).ticks.map(({ label }) => label);

  test('are months, quarters, half years or years, depending on the room', () => {
    expect(labels('2026-10-20', '2026-12-24', '2026-11-21')).toEqual(['Oct 2026', 'Nov 2026', 'Dec', 'Jan 2027']);
    expect(labels('2026-07-01', '2027-12-31', '2026-11-21')).toEqual([
      ...['Jul 2026', 'Oct 2026', 'Jan 2027', 'Apr', 'Jul', 'Oct', 'Jan 2028'],
    ]);
    expect(labels('2026-02-01', '2029-06-30', '2026-11-21')).toEqual([
      ...['Jul 2026', 'Jan 2027', 'Jul', 'Jan 2028', 'Jul', 'Jan 2029', 'Jul'],
    ]);
    expect(labels('2020-02-01', '2026-06-30', '2026-11-21')).toEqual(['2021', '2022', '2023', '2024', '2025', '2026']);
  });
});

describe('the chart, with any counts', () => {
  const daysAgo = fc.integer({ min: 0, max: 60 });
  const counts = fc.array(fc.tuple(daysAgo, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })));
  const byDay = counts.map(
    (given) => new Map(given.map(([ago, uses]) => [toDay(new Date(NOON.getTime() - ago * DAY_MILLISECONDS)), uses])),
  );

  test('it has the last 30 days in order, ending today', () => {
    const days = dayBars({ byDay: new Map(), countedSince: undefined }, NOON);
    expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).sort());
    expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([30, '2026-10-23', '2026-11-21']);
  });

  test('no bar exceeds the drawing, the highest fills it, and any use is visible', () => {
    fc.assert(
      fc.property(byDay, (given) => {
        const bars = dayBars({ byDay: given, countedSince: undefined }, NOON);
        for (const { day, uses, height } of bars) {
          expect(uses).toBe(given.get(day) ?? 0);
          expect(height > 0).toBe(uses > 0);
          expect(height).toBeLessThanOrEqual(90);
        }
        const used = bars.filter(({ uses }) => uses > 0);
        const most = Math.max(...used.map(({ uses }) => uses));
        for (const { height } of used.filter(({ uses }) => uses === most)) expect(height).toBe(90);
        const heights = used.sort((one, other) => one.uses - other.uses).map(({ height }) => height);
        expect(heights).toEqual([...heights].sort((one, other) => one - other));
      }),
    );
  });

  test('everything is within the drawing', () => {
    fc.assert(
      fc.property(byDay, fc.integer({ min: -60, max: 60 }), (given, daysAgo) => {
        const countedSince = new Date(NOON.getTime() - daysAgo * DAY_MILLISECONDS);
        assertWithin(usesChart({ byDay: given, countedSince, clientCount: 0, clients: [], lastUsed: undefined }, NOON));
      }),
    );
  });

  test('days before the counting started differ from days without a use', () => {
    const countedSince = new Date('2026-11-19T23:59:59Z');
    const days = dayBars({ byDay: new Map([['2026-11-01', 3]]), countedSince }, NOON);
    expect(days.filter(({ isBefore }) => !isBefore).map(({ day }) => day)).toEqual([
      ...['2026-11-01', '2026-11-19', '2026-11-20', '2026-11-21'],
    ]);
  });
});

/** Asserts that all positions and widths in percent are between the left and the right end. */
function assertWithin(drawing: string): void {
  for (const [, place = ''] of drawing.matchAll(/ x[12]?="([^"]*)%"/g)) {
    expect(Number(place)).toBeGreaterThanOrEqual(0);
    expect(Number(place)).toBeLessThanOrEqual(100);
  }
  for (const [, x, width] of drawing.matchAll(/ x="([^"]*)%"(?: y="\d+")? width="([^"]*)%"/g)) {
    expect(Number(width)).toBeGreaterThan(0);
    expect(Number(x) + Number(width)).toBeLessThanOrEqual(100.000_001);
  }
}
