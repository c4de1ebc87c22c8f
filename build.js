import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';

/*
 * Bundles `src` and the packages it uses into `dist`, unless `dist` is newer; what runs it calls this first. A process starts
 * from a bundle in half the time that it takes to open hundreds of files. In production, where there is no bundler, what was
 * built before runs as it is.
 */

/** Written after each build, with the time when that began. It lists the files of the build. */
const STAMP = 'dist/.built';
const COMMANDS = ['events', 'healthy', 'keys', 'migrate', 'schema', 'seed'];
const SOURCES = ['build.js', 'tsconfig.json', 'package-lock.json', 'src'];
/** Packages that read files beside their own. */
const NOT_BUNDLED = ['@electric-sql/pglite', '@graphql-yoga/render-graphiql', 'swagger-ui-dist'];

const isThere = existsSync(STAMP);
if (!existsSync('node_modules/esbuild')) {
  if (!isThere)
    fail(
      'There is no bundler, and nothing is built yet: run npm ci with the development dependencies, then npm run build.',
    );
} else if (!isThere || newestOf(SOURCES) > timeOf(STAMP)) {
  process.stderr.write('Building ...\n');
  const begun = new Date();
  const files = await bundle();
  // A schema that breaks a rule of its own, such as of its lifecycle, is told now and not by a stack at the start.
  const { status } = spawnSync(process.execPath, ['dist/commands/schema.js', '--dry-run'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  // Changed chunks have new names. Those of the build before stay, for a service that runs from them.
  const before = isThere ? readFileSync(STAMP, 'utf8').split('\n') : [];
  for (const name of readdirSync('dist')) {
    const isKept = [STAMP, ...files, ...before].some((path) => path.startsWith(`dist/${name}`));
    // Another build at the same time may have removed it.
    if (!isKept) rmSync(`dist/${name}`, { recursive: true, force: true });
  }
  writeFileSync(STAMP, files.join('\n'));
  utimesSync(STAMP, begun, begun);
}

/** Bundles the sources, and returns the paths of the files. */
async function bundle() {
  const { build } = await import('esbuild');
  const commands = COMMANDS.map((name) => [`commands/${name}`, `src/commands/${name}.ts`]);
  const built = await build({
    entryPoints: {
      main: 'src/main.ts',
      // The file of a thread.
      exporter: 'src/process/tracing/exporter.ts',
      ...Object.fromEntries(commands),
    },
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: NOT_BUNDLED,
    sourcemap: true,
    sourcesContent: false,
    // For packages that are CommonJS modules.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    metafile: true,
    logLevel: 'warning',
  }).catch(() => process.exit(1));
  return Object.keys(built.metafile.outputs);
}

/** The time of the last change of these files, and of all in these folders. */
function newestOf(paths) {
  return Math.max(
    ...paths.flatMap((path) => {
      const within = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }) : [];
      return [path, ...within.map((name) => `${path}/${name}`)].map(timeOf);
    }),
  );
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
