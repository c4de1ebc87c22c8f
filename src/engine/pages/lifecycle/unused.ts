import type { ReportEntry } from '../../lifecycle/report.ts';
import { escapeHtml } from '../layout.ts';
import { asSentence, badge, titleOf } from './format.ts';

/** The elements that have no sunset and no counted uses, a line each, with the coordinate as the fragment of its URL. */
export function unusedList(entries: readonly ReportEntry[]): string {
  return `<h2>Without counted uses</h2>
<ul class="unused">
${entries.map(line).join('\n')}
</ul>`;
}

function line(entry: ReportEntry): string {
  const { coordinate, level, verdict } = entry;
  const [id, title] = [escapeHtml(coordinate), titleOf(entry)];
  const name = title === coordinate ? '' : ` <code>${id}</code>`;
  return `<li class="line" id="${id}"><a href="#${id}">${escapeHtml(title)}</a> ${badge(level)}${name} <span class="left">${escapeHtml(asSentence(verdict))}</span></li>`;
}
