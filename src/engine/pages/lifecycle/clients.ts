import type { ClientUse, Usage } from '../../lifecycle/report.ts';
import { OTHERS } from '../../lifecycle/tally.ts';
import { escapeHtml } from '../layout.ts';
import { grouped, toMinute } from './format.ts';

/** The number of clients that are shown at once. */
const SHOWN = 8;

/** The clients of an element, and when each was last seen: the first few, and the others folded. */
export function clientsTable({ clients, clientCount }: Usage): string {
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
  const seen = `<time datetime="${lastSeen.toISOString()}">${toMinute(lastSeen)}</time>`;
  return `<tr><th scope="row">${escapeHtml(client)}</th><td>${grouped(uses)}</td><td>${seen}</td></tr>`;
}
