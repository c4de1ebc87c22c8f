import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServedAsset, serveAsset } from '../http/asset.ts';
import { PROJECT } from '../project.ts';
import { BASE_STYLE, escapeHtml, htmlDocument } from './layout.ts';
import { pageHeaders } from './policy.ts';

const OWN = fileURLToPath(new URL('src/engine/pages/reference/', PROJECT));
const SWAGGER_UI = createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui-bundle.js');

/** Its scroller would animate links and steps back for a second, and leave the focus on the link. */
const NO_ANIMATION = 'window.noZensmooth = true;';

/** The page has no inline scripts and styles. */
const OWN_FILES = "script-src 'self'; style-src 'self'; img-src data: 'self'; connect-src 'self'";

/** The reference: Swagger UI with our own plugins and style sheets, by the paths of its files under the base path. */
export function createReference(
  title: string,
  basePath: string,
  hasPlayground: boolean,
): Readonly<Record<string, ServedAsset>> {
  // In the order of their names: later styles override earlier ones.
  const files = readdirSync(OWN).toSorted();
  const named = (extension: string) => files.filter((name) => name.endsWith(extension));
  const own = (name: string) => readFile(join(OWN, name), 'utf8');
  const script = (make: () => Promise<string>) => serveAsset({ contentType: 'text/javascript; charset=utf-8', make });
  return {
    '/reference': serveAsset({
      contentType: 'text/html; charset=utf-8',
      make: () => referencePage(title, escapeHtml(basePath), hasPlayground),
      headers: (page) => pageHeaders(page, OWN_FILES),
    }),
    '/reference/swagger-ui-bundle.js': script(async () => `${NO_ANIMATION}\n${await readFile(SWAGGER_UI, 'utf8')}`),
    '/reference/style.css': serveAsset({
      contentType: 'text/css; charset=utf-8',
      make: async () => [BASE_STYLE, ...(await Promise.all(named('.css').map(own)))].join('\n'),
    }),
    ...Object.fromEntries(named('.js').map((name) => [`/reference/${name}`, script(() => own(name))])),
  };
}

function referencePage(title: string, base: string, hasPlayground: boolean): string {
  const own = `${base}/reference`;
  return htmlDocument(
    `${title}: reference`,
    `<link rel="stylesheet" href="${own}/style.css">
<script src="${own}/swagger-ui-bundle.js" defer></script>
<script src="${own}/start.js" type="module"></script>`,
    `<div id="reference" data-base="${base}"${hasPlayground ? ' data-playground' : ''}></div>
<noscript><p>This page needs scripts; what it shows is in <a href="${base}/openapi.json">openapi.json</a>.</p></noscript>`,
  );
}
