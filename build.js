import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';

/*
 * Builds `dist` unless it is newer than all that it is made of; what runs it calls this first. In production, where there is no
 * compiler, what was built before is run as it is.
 */

const STAMP = 'dist/.built';
const COMPILER = 'node_modules/typescript/bin/tsc';
const SOURCES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'src'];

const isThere = existsSync('dist/main.js');
if (!existsSync(COMPILER)) {
  if (!isThere)
    fail(
      'There is no compiler, and nothing is built yet: run npm ci with the development dependencies, then npm run build.',
    );
} else if (!isThere || newestOf(SOURCES) > timeOf(STAMP)) {
  rmSync(STAMP, { force: true });
  process.stderr.write('Building ...\n');
  run(COMPILER, '-p', 'tsconfig.build.json');
  // A schema that breaks a rule of its own, such as of its lifecycle, is told now and not by a stack at the start.
  run('dist/commands/schema.js', '--dry-run');
  writeFileSync(STAMP, '');
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

function run(...command) {
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
