import type { ServiceError } from '../errors.ts';
import { escapeHtml, layout } from './layout.ts';

/** What a page of a failure shows beside the failure. */
interface ErrorPageOptions {
  /** What the service is called. */
  readonly title: string;
  /** What every address of it begins with. */
  readonly basePath: string;
  /** By which the service's log finds the request. */
  readonly requestId: string;
  /** The path that may have been meant, with the base path. */
  readonly nearest: string | undefined;
  /** Where a key is sent to that opens the page, with the base path; undefined where none would help. */
  readonly keyTo: string | undefined;
}

/**
 * The page that a browser is shown of a failure: what a program reads in the Error object, and where to go from there.
 */
export function errorPage({ status, code, message }: ServiceError, options: ErrorPageOptions): string {
  const { title, basePath, requestId, nearest, keyTo } = options;
  const base = escapeHtml(basePath);
  return layout(
    `${title}: ${status}`,
    `<p><a href="${base}/">${escapeHtml(title)}</a></p>
<h1>${status} <code>${code}</code></h1>
<p class="lead" id="message">${escapeHtml(message)}</p>
${nearest === undefined ? '' : `<p><a href="${escapeHtml(nearest)}">${escapeHtml(nearest)}</a></p>`}
${keyTo === undefined ? '' : keyForm(escapeHtml(keyTo))}
<p>The <a href="${base}/reference">reference</a> has every REST operation, and the <a href="${base}/">first page</a> all else.</p>
<p class="lead"><small>Request id: <code>${escapeHtml(requestId)}</code></small></p>`,
    STYLE,
  );
}

function keyForm(action: string): string {
  return `<form method="post" action="${action}">
<label for="key">API key or token</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false" required aria-describedby="message">
<button>Open the page</button>
</form>
<p>This browser keeps it for this page alone, until it is closed.</p>`;
}

const STYLE = `
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 1.4rem 0; }
input, button { font: inherit; padding: .45rem .7rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); color: inherit; }
button { border-color: var(--accent); color: var(--accent); cursor: pointer; }
`;
