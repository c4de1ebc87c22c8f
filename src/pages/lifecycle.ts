import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Mark } from '../lifecycle/mark.ts';
import { markOf } from '../lifecycle/plugin.ts';
import { escapeHtml, layout } from './layout.ts';

/**
 * The page that answers of marked operations point to: every mark of the schema, and until when what is served.
 *
 * @param operations what REST calls a field, by its coordinate: `Query.books` -> `GET /books`
 */
export function lifecyclePage(
  schema: GraphQLSchema,
  operations: ReadonlyMap<string, string>,
  basePath: string,
): string {
  const rows = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) => {
          const mark = markOf(field);
          return mark === undefined ? [] : [tableRow(`${type.name}.${field.name}`, mark, operations)];
        })
      : [],
  );
  return layout(
    'Pet store: lifecycle',
    `<p><a href="${escapeHtml(basePath)}/">Pet store</a></p>
<h1>Lifecycle</h1>
<p class="lead">What is not listed here is stable. Deprecated operations are served until the end of their sunset day, in
UTC; beta ones change with 30 days' notice; experimental ones may change at any time.</p>
<table>
<thead><tr><th>Operation</th><th>Level</th><th>Since</th><th>Sunset</th><th>Use instead</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`,
  );
}

function tableRow(coordinate: string, mark: Mark, operations: ReadonlyMap<string, string>): string {
  const named = (field: string) =>
    [operations.get(field), field]
      .map((name) => (name === undefined ? '' : `<code>${escapeHtml(name)}</code>`))
      .join(' ');
  const level = `<span class="level ${mark.level}">${mark.level}</span>`;
  const deprecation =
    mark.level === 'deprecated'
      ? [
          escapeHtml(mark.since),
          `<strong>${escapeHtml(mark.sunset)}</strong>`,
          `${named(mark.successor.field)}<span class="why">${escapeHtml(mark.why)}</span>`,
        ]
      : ['', '', ''];
  const labels = ['', '', 'Since', 'Sunset', 'Use instead'];
  const cells = [named(coordinate), level, ...deprecation];
  return `<tr>${cells.map((cell, index) => `<td data-label="${labels[index]}">${cell}</td>`).join('')}</tr>`;
}
