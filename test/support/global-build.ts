import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { BUILT, BUNDLED, BUNDLED_COMMANDS, bundledName } from './service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds what `npm start` runs, and bundles it for the tests. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.js'], { cwd: root });
  const sources = [`${root}dist/.built`, fileURLToPath(import.meta.url)];
  if (existsSync(root + BUNDLED) && sources.every((path) => statSync(root + BUNDLED).mtime > statSync(path).mtime))
    return;
  await build({
    absWorkingDir: root,
    // The exporter is a file beside the module that starts its thread.
    entryPoints: {
      main: BUILT,
      exporter: 'dist/process/tracing/exporter.js',
      ...Object.fromEntries(BUNDLED_COMMANDS.map((name) => [bundledName(name), `dist/${name}.js`])),
    },
    // As deep in the tree as the modules that it has, which name other files relative to their own.
    outdir: BUNDLED.slice(0, BUNDLED.lastIndexOf('/')),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    // These read files beside their own.
    external: ['@electric-sql/pglite', '@graphql-yoga/render-graphiql', 'swagger-ui-dist'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'error',
  });
}
