import { toDay } from '../../lifecycle/mark.ts';
import { type ReportEntry, type ReportedDeprecation, WINDOW_DAYS, windowOpens } from '../../lifecycle/report.ts';
import { escapeHtml } from '../layout.ts';
import { badges } from './badges.ts';
import { usesChart } from './chart.ts';
import { clientsTable } from './clients.ts';
import { asSentence, counted, dayElement, daysLeftInWords, PROMISES, titleOf } from './words.ts';

/** All that is known of one mark, under its coordinate as the fragment of its address. */
export function card(entry: ReportEntry, now: Date): string {
  const { coordinate, deprecation, level } = entry;
  const id = escapeHtml(coordinate);
  return `<article class="mark" id="${id}">
<header>
<h3><a href="#${id}">${escapeHtml(titleOf(entry))}</a></h3>
<p>${badges(entry)} ${otherName(entry)}</p>
</header>
${verdictOf(entry)}
${deprecation === undefined ? `<p class="soft">${PROMISES[level]}</p>` : facts(deprecation, now)}
${usesOf(entry, now)}
</article>`;
}

/** What the title does not say: the coordinate, or which operation it is an argument of. */
function otherName({ coordinate, operation }: ReportEntry): string {
  if (operation === undefined) return '';
  const isTitle = titleOf({ coordinate, operation }) === operation;
  return isTitle
    ? `<code>${escapeHtml(coordinate)}</code>`
    : `<span class="soft">argument of <code>${escapeHtml(operation)}</code></span>`;
}

/** The sign before it says the same in shape and colour. */
function verdictOf({ outlook, verdict }: ReportEntry): string {
  return `<p class="verdict ${outlook}">${escapeHtml(asSentence(verdict))}</p>`;
}

function facts(deprecation: ReportedDeprecation, now: Date): string {
  const { since, sunset, daysLeft, successor, successorOperation, why } = deprecation;
  const begins = since > toDay(now) ? 'Deprecated from' : 'Deprecated since';
  const instead =
    successorOperation === undefined
      ? `<code>${escapeHtml(successor)}</code>`
      : `<code class="name">${escapeHtml(successorOperation)}</code><br><code>${escapeHtml(successor)}</code>`;
  return `<dl class="facts">
<div><dt>Sunset</dt><dd><strong>${dayElement(sunset)}</strong><br><span class="soft">${daysLeftInWords(daysLeft)}</span></dd></div>
<div><dt>${begins}</dt><dd>${dayElement(since)}</dd></div>
<div><dt>Use instead</dt><dd>${instead}</dd></div>
<div><dt>Why</dt><dd>${escapeHtml(why)}</dd></div>
</dl>`;
}

function usesOf({ uses, usage }: ReportEntry, now: Date): string {
  const { countedSince, clientCount } = usage;
  if (uses === 0 && countedSince === undefined) return '<p class="soft">Its uses are not counted yet.</p>';
  // Only the window is looked at: what was before it is not claimed.
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
<p class="soft">${counted(clientCount, 'client')}, last seen first</p>
${clientsTable(usage)}
</div>
</div>`;
}
