import type { ReportEntry } from '../lifecycle/report.ts';
import { escapeHtml, layout } from './layout.ts';

/** The page that answers of marked operations point to: every mark, until when it is served, and who still uses it. */
export function lifecyclePage(entries: readonly ReportEntry[], _now: Date, basePath: string): string {
  return layout(
    'Pet store: lifecycle',
    `<p><a href="${escapeHtml(basePath)}/">Pet store</a></p>
<h1>Lifecycle</h1>
<p class="lead">What is not listed here is stable. Deprecated operations are served until the end of their sunset day, in
UTC; beta ones change with 30 days' notice; experimental ones may change at any time.</p>
<table>
<thead><tr><th>Operation</th><th>Level</th><th>Since</th><th>Sunset</th><th>Use instead</th></tr></thead>
<tbody>
${entries.map(tableRow).join('\n')}
</tbody>
</table>`,
  );
}

function tableRow({ coordinate, operation, level, deprecation }: ReportEntry): string {
  const named = (...names: readonly (string | undefined)[]) =>
    names.map((name) => (name === undefined ? '' : `<code>${escapeHtml(name)}</code>`)).join(' ');
  const details =
    deprecation === undefined
      ? ['', '', '']
      : [
          escapeHtml(deprecation.since),
          `<strong>${escapeHtml(deprecation.sunset)}</strong>`,
          `${named(deprecation.successorOperation, deprecation.successor)}<span class="why">${escapeHtml(deprecation.why)}</span>`,
        ];
  const labels = ['', '', 'Since', 'Sunset', 'Use instead'];
  const cells = [named(operation, coordinate), `<span class="level ${level}">${level}</span>`, ...details];
  return `<tr>${cells.map((cell, index) => `<td data-label="${labels[index]}">${cell}</td>`).join('')}</tr>`;
}
