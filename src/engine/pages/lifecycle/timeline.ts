import { sinceInstant, sunsetInstant, toDay } from '../../lifecycle/annotation.ts';
import type { ReportEntry, ReportedDeprecation } from '../../lifecycle/report.ts';
import { escapeHtml } from '../layout.ts';
import { badges, daysLeftInWords, inShort, inWords, titleOf } from './format.ts';

type TimeScale = ReturnType<typeof scaleOf>;

const MAX_STEPS = 8;
const LINES = 'lines-of-time';

/** The deprecated elements on one timeline, with today and the sunsets, in the full width of the page. */
export function timeline(entries: readonly ReportEntry[], now: Date): string {
  const scale = scaleOf(entries, now);
  const rows = entries.map((entry) => entry.deprecation && row(entry, entry.deprecation, now, scale));
  return `<div class="timeline">
${axis(scale, now)}
<ol>
${rows.join('\n')}
</ol>
</div>
${LEGEND}`;
}

/** The timeline of whole months that contains today and all dates of the annotations: 0 to 100 from left to right. */
export function scaleOf(entries: readonly ReportEntry[], now: Date) {
  const deprecations = entries.flatMap(({ deprecation }) => deprecation ?? []);
  const months = [now, ...deprecations.map(sinceInstant), ...deprecations.map(sunsetInstant)].map(monthOf);
  const [first, last] = [Math.min(...months), Math.max(...months) + 1];
  const [left, right] = [startOf(first).getTime(), startOf(last).getTime()];
  /** The position of an instant, in percent; an instant outside is at the nearer end. */
  const at = (instant: Date) => {
    const share = (instant.getTime() - left) / (right - left);
    return Math.round(Math.min(Math.max(share, 0), 1) * 100_000) / 1_000;
  };
  return { at, ticks: ticksOf(first, last).map(({ month, ...tick }) => ({ ...tick, at: at(startOf(month)) })) };
}

/** The months that have a tick, numbered from year 0, with their labels; those of major ones are shown even on a phone. */
function ticksOf(first: number, last: number) {
  let step = 1;
  // A month, a quarter, half a year, a year, and further powers of two.
  while ((last - first) / step > MAX_STEPS) step = step === 1 ? 3 : step * 2;
  const begin = Math.ceil(first / step);
  return Array.from({ length: Math.floor(last / step) - begin + 1 }, (_, index) => {
    const month = (begin + index) * step;
    const [name, year] = inShort(startOf(month).toISOString()).split(' ').slice(1) as [string, string];
    // The labels show the year where a year or the timeline starts.
    const label = step >= 12 ? year : index < 2 || month % 12 === 0 ? `${name} ${year}` : name;
    return { month, label, isMajor: (month / step) % 2 === 0 };
  });
}

function monthOf(instant: Date): number {
  return instant.getUTCFullYear() * 12 + instant.getUTCMonth();
}

function startOf(month: number): Date {
  const instant = new Date(0);
  instant.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
  return instant;
}

/** The bar from a deprecation to the end of its sunset day, in percent of the timeline; it is split today. */
export function barOf(deprecation: Pick<ReportedDeprecation, 'since' | 'sunset'>, now: Date, scale: TimeScale) {
  const [from, until] = [scale.at(sinceInstant(deprecation)), scale.at(sunsetInstant(deprecation))];
  return { from, split: Math.min(Math.max(scale.at(now), from), until), until };
}

/** Every row reuses the tick lines. */
function axis({ at, ticks }: TimeScale, now: Date): string {
  const today = at(now);
  const lines = ticks.map(({ at: x }) => `<line class="tick" x1="${x}%" x2="${x}%" y1="0" y2="20"/>`);
  const labels = ticks.map(
    ({ at: x, label, isMajor }) =>
      `<text x="${x}%" y="34" text-anchor="${anchor(x, 8)}"${isMajor ? '' : ' class="minor"'}>${label}</text>`,
  );
  return `<svg class="axis" height="44" aria-hidden="true">
<defs><g id="${LINES}">${lines.join('')}<line class="now" x1="${today}%" x2="${today}%" y1="-2" y2="22"/></g></defs>
<text class="now" x="${today}%" y="12" text-anchor="${anchor(today, 20)}">Today, ${inShort(toDay(now))}</text>
${labels.join('\n')}
</svg>`;
}

function row(entry: ReportEntry, deprecation: ReportedDeprecation, now: Date, scale: TimeScale): string {
  const left = daysLeftInWords(deprecation.daysLeft);
  return `<li><p class="line"><a href="#${escapeHtml(entry.coordinate)}">${escapeHtml(titleOf(entry))}</a> ${badges(entry)} <span class="left">${left}</span></p>
${track(deprecation, now, scale)}</li>`;
}

function track(deprecation: ReportedDeprecation, now: Date, scale: TimeScale): string {
  const { since, sunset, daysLeft } = deprecation;
  const { from, split, until } = barOf(deprecation, now, scale);
  const hasEnded = daysLeft < 0;
  const part = (name: string, left: number, right: number) =>
    left === right
      ? ''
      : `<rect class="${name}" x="${left}%" y="4" width="${(right - left).toFixed(3)}%" height="12"/>`;
  return `<svg class="track${hasEnded ? ' ended' : ''}" height="40" role="img">
<title>Deprecated from ${inWords(since)}; ${hasEnded ? 'ended' : 'sunset'} on ${inWords(sunset)}</title>
<use href="#${LINES}"/>
${part('over', from, split)}${part('to-come', split, until)}
<line x1="${until}%" x2="${until}%" y1="0" y2="20"/>
<text x="${until}%" y="36" text-anchor="${anchor(until, 20)}">${hasEnded ? 'ended' : 'sunset'} ${inShort(sunset)}</text>
</svg>`;
}

const LEGEND = `<p class="legend">
${sample('<rect class="over" x="1" y="1" width="22" height="10"/>', 'past')}
${sample('<rect class="to-come" x="1" y="1" width="22" height="10"/>', 'still to come')}
${sample('<path class="now" d="M12 -1V13"/>', 'today')}
</p>`;

function sample(drawing: string, text: string): string {
  return `<span><svg class="track" width="24" height="12" aria-hidden="true">${drawing}</svg> ${text}</span>`;
}

/** Keeps a label within the drawing: near an end it is on the inner side. */
function anchor(at: number, margin: number): 'start' | 'middle' | 'end' {
  if (at < margin) return 'start';
  return at > 100 - margin ? 'end' : 'middle';
}
