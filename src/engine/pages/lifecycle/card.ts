import { toDay } from '../../lifecycle/annotation.ts';
import type { LifecycleRules } from '../../lifecycle/enforcement.ts';
import {
  type ClientUse,
  type ReportEntry,
  type ReportedDeprecation,
  type Usage,
  WINDOW_DAYS,
  windowOpens,
} from '../../lifecycle/report.ts';
import { OTHERS } from '../../lifecycle/tally.ts';
import { escapeHtml } from '../layout.ts';
import { usesChart } from './chart.ts';
import {
  asSentence,
  badges,
  counted,
  dayElement,
  daysLeftInWords,
  grouped,
  PROMISES_OF_LEVELS,
  titleOf,
  toMinute,
  toMinuteOfYear,
} from './format.ts';

const SHOWN = 8;

/** The card of an annotated element, with the coordinate as the fragment of its URL. */
export function card(entry: ReportEntry, rules: LifecycleRules, now: Date): string {
  const { coordinate, deprecation, level } = entry;
  const id = escapeHtml(coordinate);
  return `<article class="annotation" id="${id}">
<header>
<h3><a href="#${id}">${escapeHtml(titleOf(entry))}</a></h3>
<p>${badges(entry)} ${otherName(entry)}</p>
</header>
<p class="verdict ${entry.removal}">${escapeHtml(asSentence(entry.verdict))}</p>
${deprecation === undefined ? `<p class="soft">${PROMISES_OF_LEVELS[level]}</p>` : facts(coordinate, deprecation, rules, now)}
${usesOf(entry, now)}
</article>`;
}

/** What the title does not say: the coordinate, or the operation of an argument. */
function otherName(entry: ReportEntry): string {
  const { coordinate, operation } = entry;
  if (operation === undefined) return '';
  if (titleOf(entry) === operation) return `<code>${escapeHtml(coordinate)}</code>`;
  return `<span class="soft">argument of <code>${escapeHtml(operation)}</code></span>`;
}

function facts(
  coordinate: string,
  deprecation: ReportedDeprecation,
  { sunset: atSunset, brownouts }: LifecycleRules,
  now: Date,
): string {
  const { since, sunset, daysLeft, successor, successorOperation, why } = deprecation;
  const begins = since > toDay(now) ? 'Deprecated from' : 'Deprecated since';
  const name = successorOperation && `<code class="name">${escapeHtml(successorOperation)}</code><br>`;
  const periods = brownouts.flatMap(({ coordinate: only = coordinate, from, until }) => {
    if (only !== coordinate || until <= now || toDay(from) > sunset) return [];
    return [`${timeElement(from, toMinuteOfYear)} to ${timeElement(until, toMinuteOfYear)}`];
  });
  return `<dl class="facts">
<div><dt>Sunset</dt><dd><strong>${dayElement(sunset)}</strong><br><span class="soft">${daysLeftInWords(daysLeft)}</span></dd></div>
<div><dt>${begins}</dt><dd>${dayElement(since)}</dd></div>
<div><dt>Use instead</dt><dd>${name ?? ''}<code>${escapeHtml(successor)}</code></dd></div>
<div><dt>Why</dt><dd>${escapeHtml(why)}</dd></div>
<div><dt>After its sunset</dt><dd>${AT_SUNSET[atSunset]}</dd></div>
${periods.length === 0 ? '' : `<div><dt>Brownouts</dt><dd>${periods.join('<br>')}, UTC</dd></div>`}
</dl>`;
}

const AT_SUNSET: Readonly<Record<LifecycleRules['sunset'], string>> = {
  announce: 'it keeps working',
  enforce: 'it is rejected: 410 <code>GONE</code>',
};

function timeElement(instant: Date, inWords: (instant: Date) => string): string {
  return `<time datetime="${instant.toISOString()}">${inWords(instant)}</time>`;
}

function usesOf({ uses, usage }: ReportEntry, now: Date): string {
  const { countedSince, clientCount } = usage;
  if (uses === 0 && countedSince === undefined) return '<p class="soft">Its uses are not counted yet.</p>';
  // The report covers only the window, so nothing is said about earlier days.
  const opens = windowOpens(now);
  const begins = countedSince === undefined ? opens : toDay(countedSince);
  if (uses === 0) return `<p class="soft">No use counted since ${dayElement(begins > opens ? begins : opens)}.</p>`;
  return `<div class="uses">
<div>
<h4>Uses per day</h4>
<p class="soft">${counted(uses, 'use')} ${begins > opens ? `since ${dayElement(begins)}` : `in the last ${WINDOW_DAYS} days`}</p>
${usesChart(usage, now)}
</div>
<div>
<h4>Who uses it</h4>
<p class="soft">${counted(clientCount, 'client')}, the most uses first</p>
${clientsTable(usage)}
</div>
</div>`;
}

/** The clients of an element, and when each was last seen: the first few, and the others folded. */
function clientsTable({ clients, clientCount }: Usage): string {
  const [shown, folded] = [clients.slice(0, SHOWN), clients.slice(SHOWN)];
  const unlisted = clientCount - clients.length;
  return `${table(shown)}
${folded.length === 0 ? '' : `<details><summary>${folded.length} more</summary>\n${table(folded)}\n</details>`}
${unlisted > 0 ? `<p class="soft">and ${grouped(unlisted)} more, not listed</p>` : ''}
${clients.some(({ client }) => client === OTHERS) ? `<p class="soft"><code>${OTHERS}</code> counts the clients beyond the maximum number of names.</p>` : ''}`;
}

function table(clients: readonly ClientUse[]): string {
  return `<table class="clients">
<thead><tr><th scope="col">Client</th><th scope="col">Uses</th><th scope="col">Last seen, UTC</th></tr></thead>
<tbody>
${clients.map(row).join('\n')}
</tbody>
</table>`;
}

function row({ client, uses, lastSeen }: ClientUse): string {
  return `<tr><th scope="row">${escapeHtml(client)}</th><td>${grouped(uses)}</td><td>${timeElement(lastSeen, toMinute)}</td></tr>`;
}
