import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';

/*
 * Bundles `src` and the packages it uses into `dist`, unless `dist` is newer; what runs it calls this first. A process starts
 * from a bundle in half the time that it takes to open hundreds of files. In production, where there is no bundler, what was
 * built before runs as it is.
 */

/** Written after each build, with the time when that began. It lists the files of the build. */
const STAMP = 'dist/.built';
const SOURCES = ['build.js', 'tsconfig.json', 'package.json', 'package-lock.json', 'src'];
const inScripts = readFileSync('package.json', 'utf8').matchAll(/dist\/commands\/(\w+)/g);
/** Those of the scripts, that of the container's health check, and that of this build. */
const COMMANDS = [...Array.from(inScripts, ([, name]) => name), 'healthy', 'schema'];
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
  // Changed chunks have new names. Those of the build before stay, for a service that runs from them.
  const before = isThere ? readFileSync(STAMP, 'utf8').split('\n') : [];
  // Beside `dist`, into which finished files are moved: another process may build or start at the same time.
  const folder = mkdtempSync('dist.');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  const files = await bundle(folder);
  // A schema that breaks a rule of its own, such as of its lifecycle, is told now and not by a stack at the start.
  const { status } = spawnSync(process.execPath, [`${folder}/commands/schema.js`, '--dry-run'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  const stamp = STAMP.replace('dist', folder);
  const inDist = (path) => path.replace(folder, 'dist');
  writeFileSync(stamp, files.map(inDist).join('\n'));
  utimesSync(stamp, begun, begun);
  mkdirSync('dist/commands', { recursive: true });
  for (const path of [...files, stamp]) renameSync(path, inDist(path));
  const kept = [...before, ...files.map(inDist), STAMP];
  for (const name of readdirSync('dist')) {
    const path = `dist/${name}`;
    // What another build at the same time moved there; or that one has removed it already.
    const isNew = statSync(path, { throwIfNoEntry: false })?.ctimeMs >= begun.getTime();
    if (!isNew && !kept.some((one) => one.startsWith(path))) rmSync(path, { recursive: true, force: true });
  }
}

/** Bundles the sources into a folder, and returns the paths of the files: first those that others import. */
async function bundle(folder) {
  const { build } = await import('esbuild');
  const commands = COMMANDS.map((name) => [`commands/${name}`, `src/commands/${name}.ts`]);
  const built = await build({
    entryPoints: {
      main: 'src/main.ts',
      // The file of a thread.
      exporter: 'src/process/tracing/exporter.ts',
      ...Object.fromEntries(commands),
    },
    outdir: folder,
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
    // Its process would still write when this one has been ended.
    write: false,
    logLevel: 'warning',
  }).catch(() => process.exit(1));
  mkdirSync(`${folder}/commands`);
  for (const { path, contents } of built.outputFiles) writeFileSync(path, contents);
  const files = Object.keys(built.metafile.outputs);
  const isHashed = (path) => /-[A-Z0-9]{8}\.js/.test(path);
  return [...files.filter(isHashed), ...files.filter((path) => !isHashed(path))];
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
