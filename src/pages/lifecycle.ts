import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Mark } from '../lifecycle/mark.ts';
import { markOf } from '../lifecycle/plugin.ts';
import { escapeHtml, layout } from './layout.ts';

/** The page that answers of marked operations point to: every mark of the schema, and until when what is served. */
export function lifecyclePage(schema: GraphQLSchema): string {
  const rows = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) => {
          const mark = markOf(field);
          return mark === undefined ? [] : [tableRow(`${type.name}.${field.name}`, mark)];
        })
      : [],
  );
  return layout(
    'Pet store: lifecycle',
    `<h1>Lifecycle</h1>
<p class="lead">What is not listed here is stable. Deprecated operations are served until the end of their sunset day, in UTC;
beta ones change with 30 days' notice; experimental ones may change at any time.</p>
<div class="scroll"><table>
<thead><tr><th>Field</th><th>Level</th><th>Since</th><th>Sunset</th><th>Use instead</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`,
  );
}

function tableRow(coordinate: string, mark: Mark): string {
  const dates = mark.level === 'deprecated' ? [mark.since, mark.sunset, mark.successor.field] : ['', '', ''];
  const cells = [`<code>${escapeHtml(coordinate)}</code>`, mark.level, ...dates.map(escapeHtml)];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}
