import type { Application } from '../application.ts';
import { escapeHtml, layout } from './layout.ts';

/** The home page: what the service is, where everything that exists is, and the first requests of the README. */
export function homePage(
  { title, home }: Pick<Application, 'title' | 'home'>,
  basePath: string,
  origin: string,
  there: Readonly<Record<'hasPlayground' | 'hasSchema' | 'hasEvents' | 'isPrivate', boolean>>,
): string {
  const base = escapeHtml(origin + basePath);
  const name = escapeHtml(title);
  const link = (path: string, name: string, about: string) =>
    `<li><a href="${escapeHtml(basePath + path)}"><strong>${name}</strong><span>${about}</span></a></li>`;
  const code = (path: string) => `<code>${escapeHtml(basePath + path)}</code>`;
  const credential = there.isPrivate ? "-H 'authorization: Bearer YOUR_KEY' " : '';
  return layout(
    title,
    `<h1>${name}</h1>
<p class="lead">${escapeHtml(home.about)}</p>
<ul class="cards">
${there.hasPlayground ? link('/graphql', 'GraphQL playground', 'Write a query against the schema; it opens with examples.') : ''}
${link(home.look.target, 'REST', escapeHtml(home.look.about))}
${link('/reference', 'REST reference', 'Every operation, to read and to try out.')}
${link('/openapi.json', 'OpenAPI', `The REST operations; also as ${code('/openapi.yaml')}.`)}
${there.hasSchema ? link('/schema.graphql', 'GraphQL schema', 'Every type, field and argument, described.') : ''}
${there.hasEvents ? link('/events?limit=5', 'Events', `What has happened, in order; described by ${code('/asyncapi.json')}.`) : ''}
${link('/lifecycle', 'Lifecycle', 'What is deprecated, beta or experimental, and until when.')}
${link('/readyz', 'Health', `${code('/livez')}, ${code('/readyz')} and ${code('/metrics')} for operators.`)}
</ul>
${there.isPrivate ? KEY_NEEDED : ''}<h2>A first REST call</h2>
<pre>curl ${credential}'${base}${escapeHtml(home.rest)}'</pre>
<h2>A first GraphQL call</h2>
<pre>curl '${base}/graphql' -H 'content-type: application/json' \\
  ${credential && `${credential}\\\n  `}-d '{"query": "${escapeHtml(home.graphql)}"}'</pre>`,
    STYLE,
  );
}

const KEY_NEEDED = `<p>Reads need a credential with the scope <code>read</code>: put yours in place of <code>YOUR_KEY</code>. The reference and the playground take it, too.</p>
`;

const STYLE = `
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: .9rem; padding: 0; margin: 1.6rem 0 0; list-style: none; }
.cards a { display: block; height: 100%; padding: 1rem 1.1rem; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; color: inherit; text-decoration: none; }
.cards a:hover { border-color: var(--accent); }
.cards + p { margin-top: 1.6rem; }
.cards strong { display: block; color: var(--accent); }
.cards span { color: var(--soft); font-size: .93rem; }
`;
