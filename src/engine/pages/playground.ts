import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Application } from '../application.ts';
import { type ServedAsset, serveAsset } from '../http/asset.ts';
import { PROJECT } from '../project.ts';
import { escapeHtml, htmlDocument } from './layout.ts';
import { pageHeaders } from './policy.ts';

const OWN = new URL('src/engine/pages/playground/', PROJECT);
const PACKAGE = new URL('../', pathToFileURL(createRequire(import.meta.url).resolve('@graphql-yoga/render-graphiql')));

type GraphiQL = Readonly<Record<'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker', string>>;

/** GraphiQL's editor adds styles at run time, and contains its fonts. */
const NEEDS =
  "script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; font-src data:; connect-src 'self'; worker-src 'self'";

/**
 * The playground: GraphiQL, about 9 MB, which browsers cache forever, because its URL changes with its content. The
 * assets are by their paths under the base path.
 */
export function createPlayground({ title, playground }: Pick<Application, 'title' | 'playground'>, basePath: string) {
  const own = (name: string) => readFileSync(new URL(name, OWN), 'utf8');
  const [start, style] = [own('start.js'), own('playground.css')];
  const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8'));
  const folder = `/playground/${createHash('sha256').update(`${version}${WORKERS}${start}${style}`).digest('hex').slice(0, 12)}`;
  // Loaded at the first request, so that the start of the service does not wait for it.
  const graphiql = (): Promise<GraphiQL> => import(new URL('esm/graphiql.js', PACKAGE).href);
  const files: Readonly<Record<string, () => string | Promise<string>>> = {
    'graphiql.js': async () => `${WORKERS}\n${(await graphiql()).js}`,
    'editorWorkerService.js': async () => (await graphiql()).editorWorkerService,
    'json.js': async () => (await graphiql()).jsonWorker,
    'graphql.js': async () => (await graphiql()).graphqlWorker,
    'graphiql.css': async () => (await graphiql()).css,
    'playground.css': () => style,
    'start.js': () => start,
  };
  const assets = Object.entries(files).map(([name, make]): [string, ServedAsset] => {
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
    return [`${folder}/${name}`, serveAsset({ contentType: `${type}; charset=utf-8`, isImmutable: true, make })];
  });
  return {
    page: serveAsset({
      contentType: 'text/html; charset=utf-8',
      make: () => pageOf(title, playground, escapeHtml(basePath), folder),
      headers: (page) => [...pageHeaders(page, NEEDS), 'vary', 'Accept'],
    }),
    assets: Object.fromEntries(assets),
  };
}

/** Tells the editor where its web workers are: beside the script, under the names that it has for them. */
const WORKERS = `{
  const own = document.currentScript.src;
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, name) => new URL(name + '.js', own).href };
}`;

function pageOf(title: string, examples: readonly string[], base: string, folder: string): string {
  const own = `${base}${folder}`;
  return htmlDocument(
    `${title}: GraphQL playground`,
    `<link rel="stylesheet" href="${own}/graphiql.css">
<link rel="stylesheet" href="${own}/playground.css">
<script src="${own}/graphiql.js" defer></script>
<script src="${own}/start.js" defer></script>`,
    `<main id="root" data-title="${escapeHtml(title)}" data-base="${base}" data-examples="${escapeHtml(JSON.stringify(examples))}"></main>
<noscript><p>The playground needs scripts; the <a href="${base}/">home page</a> does not.</p></noscript>`,
  );
}
