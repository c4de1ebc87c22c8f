import { type Level, toDay } from '../lifecycle/annotation.ts';
import type { LifecycleRules } from '../lifecycle/enforcement.ts';
import { type ReportEntry, WINDOW_DAYS } from '../lifecycle/report.ts';
import { escapeHtml, layout } from './layout.ts';
import { card } from './lifecycle/card.ts';
import { asSentence, badge, dayElement, daysLeftInWords, PROMISES_OF_LEVELS, titleOf } from './lifecycle/format.ts';
import { LIFECYCLE_STYLE } from './lifecycle/style.ts';
import { timeline } from './lifecycle/timeline.ts';

const LEVELS: readonly Level[] = ['deprecated', 'beta', 'experimental'];

/**
 * The lifecycle page, which the responses of annotated operations link to: the sunsets on a timeline, until when
 * an element is served, who still uses it, and whether it can be removed. A page that a key opened has a form to forget
 * the key.
 */
export function lifecyclePage(
  title: string,
  entries: readonly ReportEntry[],
  rules: LifecycleRules,
  basePath: string,
  origin: string,
  isOpenByKey = false,
): string {
  const base = escapeHtml(basePath);
  const now = rules.clock();
  const calendar = `${escapeHtml(origin.replace(/^https?:/, 'webcal:'))}${base}/lifecycle.ics`;
  return layout(
    `${title}: lifecycle`,
    `<p><a href="${base}/">${escapeHtml(title)}</a></p>
<h1>Lifecycle</h1>
${rules.isRehearsal ? rehearsal(now) : ''}
${entries.length === 0 ? STABLE : `<p class="lead">${summary(entries)}</p>`}
<ul class="ways">
<li><a href="${calendar}">Subscribe to the calendar of sunsets</a> <span class="soft">or <a href="${base}/lifecycle.ics">download it</a></span></li>
<li><details><summary>As JSON</summary><pre>curl -H 'accept: application/json' '${escapeHtml(origin)}${base}/lifecycle'</pre></details></li>
</ul>
<h2>What each level promises</h2>
<dl class="levels">
${LEVELS.map((level) => `<div><dt>${badge(level)}</dt><dd>${PROMISES_OF_LEVELS[level]}</dd></div>`).join('\n')}
</dl>
${entries.length === 0 ? '' : annotations(entries, rules, now)}
${isOpenByKey ? FORGET : ''}`,
    LIFECYCLE_STYLE,
  );
}

const STABLE = `<div class="stable"><p><strong>Everything is stable.</strong></p>
<p>Nothing is deprecated, beta or experimental. This page shows such elements, with their dates and clients.</p></div>`;

const FORGET = `<form method="post">
<p class="soft">This browser keeps a key for this page until it is closed. <button name="key" value="">Forget the key</button></p>
</form>`;

function rehearsal(now: Date): string {
  return `<p class="banner" role="note"><strong>A rehearsal.</strong> This page and all responses are those of
${dayElement(toDay(now))}, as <code>LIFECYCLE_CLOCK</code> says. No use is counted meanwhile.</p>`;
}

function summary(entries: readonly ReportEntry[]): string {
  const numbers = LEVELS.flatMap((level) => {
    const many = entries.filter((entry) => entry.level === level).length;
    return many === 0 ? [] : [`${many} ${level}`];
  });
  // The report is sorted by sunset.
  const [next = 'No sunset is planned.'] = entries.flatMap((entry) => {
    const { coordinate, deprecation } = entry;
    if (deprecation === undefined || deprecation.daysLeft < 0) return [];
    const link = `<a href="#${escapeHtml(coordinate)}">${escapeHtml(titleOf(entry))}</a>`;
    const { sunset, daysLeft } = deprecation;
    return [`The next sunset is that of ${link} on ${dayElement(sunset)}: ${daysLeftInWords(daysLeft)}.`];
  });
  return `${numbers.join(', ')}; everything outside of them is stable. ${next}`;
}

function annotations(entries: readonly ReportEntry[], rules: LifecycleRules, now: Date): string {
  const deprecated = entries.filter(({ deprecation }) => deprecation !== undefined);
  const unused = entries.filter(({ deprecation, uses }) => deprecation === undefined && uses === 0);
  const cards = entries.filter((entry) => !unused.includes(entry)).map((entry) => card(entry, rules, now));
  return `${deprecated.length === 0 ? '' : `<h2>Timeline</h2>\n${timeline(deprecated, now)}`}
<h2>Who uses what</h2>
<p class="soft">Uses of the last ${WINDOW_DAYS} days, by day in UTC. A use is a call of the operation over REST, whatever its response, or a
GraphQL operation that asks for it. Clients are known by their <code>API-Client</code> header, else by
<code>apollographql-client-name</code>, else by the product in <code>User-Agent</code>.</p>
${cards.join('\n')}
${unused.length === 0 ? '' : `<h2>Without counted uses</h2>\n<ul class="unused">\n${unused.map(unusedLine).join('\n')}\n</ul>`}`;
}

/** An element that has no sunset and no counted uses, with the coordinate as the fragment of its URL. */
function unusedLine(entry: ReportEntry): string {
  const { coordinate, level, verdict } = entry;
  const [id, title] = [escapeHtml(coordinate), titleOf(entry)];
  const name = title === coordinate ? '' : ` <code>${id}</code>`;
  return `<li class="line" id="${id}"><a href="#${id}">${escapeHtml(title)}</a> ${badge(level)}${name} <span class="left">${escapeHtml(asSentence(verdict))}</span></li>`;
}
