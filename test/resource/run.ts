import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stepsOf } from '../examples/page.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

/*
 * Follows docs/add-a-resource.md in a copy of the repository, and tests the result: types, lint, the contract, the
 * other tests without a database, and the fuzzer on both databases.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/add-a-resource.md'), 'utf8');
const copy = makeTemporaryFolder();
let [passed, failed] = [0, 0];

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
for (const name of tracked) cpSync(join(root, name), join(copy.path, name));
symlinkSync(join(root, 'node_modules'), join(copy.path, 'node_modules'));
for (const step of stepsOf(page)) {
  if (step.kind !== 'file') continue;
  const file = join(copy.path, step.name);
  mkdirSync(dirname(file), { recursive: true });
  // The first line has only the name of the file.
  writeFileSync(file, step.text.slice(step.text.indexOf('\n') + 1));
}
const [, patch = ''] = /^```diff\n(.*?)^```$/ms.exec(page) ?? [];
writeFileSync(join(copy.path, 'resource.patch'), patch);

run('git', 'apply', '--unidiff-zero', 'resource.patch');
for (const [, command = ''] of page.matchAll(/^npm run ((?!check).+)$/gm)) run('npm', 'run', ...command.split(' '));
run('npm', 'run', 'types');
run('npx', 'biome', 'check', 'src', 'test');
run('npx', 'vitest', 'run', '--project', 'plain');
for (const database of ['embedded', 'server']) {
  run('npm', 'run', 'fuzz', '--', '--cases', '400', '--documents', '40', '--database', database);
}
copy.remove();
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;

function run(...[program = '', ...args]: readonly string[]): void {
  const command = [program, ...args].join(' ');
  try {
    execFileSync(program, args, { cwd: copy.path, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    passed++;
    process.stdout.write(`  holds  ${command}\n`);
  } catch (error) {
    failed++;
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    process.stdout.write(`  FAILS  ${command}\n${stdout}${stderr}\n`);
  }
}
