import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServedAsset, serveAsset } from '../http/asset.ts';
import { escapeHtml, htmlDocument, PALETTE } from './layout.ts';
import { pageHeaders } from './policy.ts';

/** Found from the compiled file too, beside which there are no scripts or style sheets. */
const OWN = fileURLToPath(new URL('../../../src/engine/pages/reference/', import.meta.url));
const SWAGGER_UI = createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui-bundle.js');

const SCRIPTS = [
  'controls.js',
  'credential.js',
  'layout.js',
  'links.js',
  'annotations.js',
  'navigation.js',
  'operation.js',
  'operations.js',
  'plugin.js',
  'response-body.js',
  'responses.js',
  'start.js',
  'try-it-out.js',
];
/** In the order in which one may overrule another. */
const STYLES = [
  'page.css',
  'navigation.css',
  'summary.css',
  'operation.css',
  'schema.css',
  'responses.css',
  'try-it-out.css',
];

/** Nothing in the page itself is run as a script or a style. */
const OWN_FILES = { script: "'self'", style: "'self'", img: "'self'", connect: "'self'" };

/**
 * The reference: Swagger UI from this service alone, with a plugin and style sheets of our own.
 *
 * @param title what the service is called
 * @param basePath what every address of it begins with
 * @param hasPlayground whether there is a playground to link to
 * @returns what answers each of its addresses, by the path under the base path
 */
export function createReference(
  title: string,
  basePath: string,
  hasPlayground: boolean,
): Readonly<Record<string, ServedAsset>> {
  const own = (name: string) => readFile(join(OWN, name), 'utf8');
  const script = (make: () => Promise<string>) => serveAsset({ contentType: 'text/javascript; charset=utf-8', make });
  return {
    '/reference': serveAsset({
      contentType: 'text/html; charset=utf-8',
      make: () => referencePage(title, escapeHtml(basePath), hasPlayground),
      headers: (page) => pageHeaders(page, OWN_FILES),
    }),
    '/reference/swagger-ui-bundle.js': script(() => readFile(SWAGGER_UI, 'utf8')),
    '/reference/style.css': serveAsset({
      contentType: 'text/css; charset=utf-8',
      make: async () => [PALETTE, ...(await Promise.all(STYLES.map(own)))].join('\n'),
    }),
    ...Object.fromEntries(SCRIPTS.map((name) => [`/reference/${name}`, script(() => own(name))])),
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
