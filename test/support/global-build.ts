import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { BUILT, BUNDLED } from './service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds what `npm start` runs, and bundles it for the tests. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.js'], { cwd: root });
  if (existsSync(root + BUNDLED) && statSync(root + BUNDLED).mtime > statSync(`${root}dist/.built`).mtime) return;
  await build({
    absWorkingDir: root,
    // The exporter is a file beside the module that starts its thread.
    entryPoints: { main: BUILT, exporter: 'dist/process/tracing/exporter.js' },
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
