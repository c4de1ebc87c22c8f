import type { ServiceError } from '../errors.ts';
import { escapeHtml, layout } from './layout.ts';

interface ErrorPageOptions {
  readonly title: string;
  readonly basePath: string;
  readonly requestId: string;
  /** The most similar path of the service. */
  readonly nearest: string | undefined;
  /** Whether a credential or a scope is needed. */
  readonly isClosed: boolean;
  /** Whether the page has a form for a key, which it sends to its own address. */
  readonly takesKey: boolean;
}

/** The error page for browsers: the content of the Error object, and where to go from there. */
export function errorPage({ status, code, message }: ServiceError, options: ErrorPageOptions): string {
  const { title, basePath, requestId, nearest, isClosed, takesKey } = options;
  const base = escapeHtml(basePath);
  return layout(
    `${title}: ${status}`,
    `<p><a href="${base}/">${escapeHtml(title)}</a></p>
<h1>${status} <code>${code}</code></h1>
<p class="lead" id="message">${escapeHtml(message)}</p>
${nearest === undefined ? '' : `<p><a href="${escapeHtml(nearest)}">${escapeHtml(nearest)}</a></p>`}
${takesKey ? KEY_FORM : ''}
<p>The <a href="${base}/reference">reference</a> has every REST operation${isClosed ? ', to try out with your credential' : ''}. The <a href="${base}/">home page</a> has everything else.</p>
<p class="lead"><small>Request id: <code>${escapeHtml(requestId)}</code></small></p>`,
    STYLE,
  );
}

/** Without an action, the form keeps the fragment of the address. */
const KEY_FORM = `<form method="post">
<label for="key">API key or token</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false" required aria-describedby="message">
<button>Open the page</button>
</form>
<p>This browser keeps it only for this page, until it is closed.</p>`;

const STYLE = `
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 1.4rem 0; }
input, button { font: inherit; padding: .45rem .7rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); color: inherit; }
button { border-color: var(--accent); color: var(--accent); cursor: pointer; }
`;
