import { addDays, toDay } from '../../lifecycle/annotation.ts';
import { type Usage, WINDOW_DAYS, windowOpens } from '../../lifecycle/report.ts';
import { counted, inWords, withoutYear } from './format.ts';

type DayBar = ReturnType<typeof dayBars>[number];

/** In pixels, from the top. */
const TOP = 20;
const BASE = 110;
const HEIGHT = 130;
const MIN_BAR = 2;
/** In percent of the width. */
const STEP = 100 / WINDOW_DAYS;
const GAP = 0.6;
/** The minimum number of days that have room for a label, even on a phone. */
const LABELLED = 10;

/** The bar chart of uses per day in the window, with the exact numbers of its bars, also in a list. */
export function usesChart(usage: Usage, now: Date): string {
  const bars = dayBars(usage, now);
  const [first, last] = [bars[0], bars.at(-1)] as [DayBar, DayBar];
  const peak = bars.reduce((best, bar) => (bar.uses > best.uses ? bar : best));
  return `<svg class="chart" height="${HEIGHT}" role="img" aria-label="Uses per day from ${inWords(first.day)} to ${inWords(last.day)}; most on ${inWords(peak.day)}: ${counted(peak.uses, 'use')}.">
<line x1="0" x2="100%" y1="${TOP}" y2="${TOP}"/>
<text x="0" y="${TOP - 6}">${counted(peak.uses, 'use')}</text>
${uncounted(bars)}
${bars.map(column).join('\n')}
<line class="base" x1="0" x2="100%" y1="${BASE}" y2="${BASE}"/>
<text x="0" y="${HEIGHT - 3}">${withoutYear(first.day)}</text>
<text x="100%" y="${HEIGHT - 3}" text-anchor="end">${withoutYear(last.day)}, today</text>
</svg>
<details><summary>Uses by day</summary>
<ul class="days">
${bars.flatMap(listed).join('\n')}
</ul>
</details>`;
}

/**
 * The days of the window: each with its place from the left in percent, its height in pixels, which is 0 for no use and
 * otherwise enough to be visible, and whether it is before the counting started.
 */
export function dayBars({ byDay, countedSince }: Pick<Usage, 'byDay' | 'countedSince'>, now: Date) {
  const begins = countedSince === undefined ? '' : toDay(countedSince);
  const days = Array.from({ length: WINDOW_DAYS }, (_, index) => addDays(windowOpens(now), index));
  const max = Math.max(1, ...days.map((day) => byDay.get(day) ?? 0));
  return days.map((day, index) => {
    const uses = byDay.get(day) ?? 0;
    const height = uses === 0 ? 0 : Math.max(MIN_BAR, Math.round((uses / max) * (BASE - TOP)));
    return { day, uses, x: index * STEP, height, isBefore: uses === 0 && day < begins };
  });
}

/** The days before the counting started, as one area that does not look like bars. */
function uncounted(bars: readonly DayBar[]): string {
  const days = bars.findIndex(({ isBefore }) => !isBefore);
  if (days < 1) return '';
  const area = `<rect class="before" x="0%" width="${(days * STEP).toFixed(3)}%" y="${TOP}" height="${BASE - TOP}"/>`;
  if (days < LABELLED) return area;
  const middle = ((days * STEP) / 2).toFixed(3);
  return `${area}<text x="${middle}%" y="${(TOP + BASE) / 2}" text-anchor="middle">not counted yet</text>`;
}

/** The tooltip covers the full height of a day, so that low bars have it too. */
function column({ day, uses, x, height, isBefore }: DayBar): string {
  const label = isBefore ? 'not counted yet' : counted(uses, 'use');
  const place = `x="${(x + GAP / 2).toFixed(3)}%" width="${(STEP - GAP).toFixed(3)}%"`;
  const bar = height === 0 ? '' : `<rect class="bar" ${place} y="${BASE - height}" height="${height}"/>`;
  return `<g><title>${inWords(day)}: ${label}</title><rect class="day" ${place} y="${TOP}" height="${BASE - TOP}"/>${bar}</g>`;
}

function listed({ day, uses }: DayBar): string[] {
  return uses === 0 ? [] : [`<li><time datetime="${day}">${withoutYear(day)}</time> ${counted(uses, 'use')}</li>`];
}
