import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installFromLock } from '../support/install.ts';
import { withService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import { isAsDocumented, type Step, stepsOf } from './page.ts';

/*
 * Follows the README and the pages in `docs` line by line, against a service with example data, and compares the output
 * of each command with the page.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
/** The URL of the service in the pages: that of `npm start`. */
const DOCUMENTED_BASE = 'http://127.0.0.1:4000';
/** The maximum time of one command, in milliseconds. */
const PATIENCE = 120_000;

let [passed, failed] = [0, 0];
installFromLock(here);
for (const page of ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]) {
  if (!page.endsWith('.md')) continue;
  const steps = stepsOf(readFileSync(join(root, page), 'utf8'));
  if (!steps.some(({ kind }) => kind === 'command')) continue;
  process.stdout.write(`${page}\n`);
  const [data, folder] = [makeTemporaryFolder(), makeTemporaryFolder()];
  symlinkSync(join(here, 'node_modules'), join(folder.path, 'node_modules'));
  writeFileSync(join(folder.path, 'package.json'), '{}\n');
  await withService({ DATA_DIR: data.path }, async ({ base }) => {
    for (const step of steps) await take(step, folder.path, base);
  });
  folder.remove();
  data.remove();
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;

async function take(step: Step, folder: string, base: string): Promise<void> {
  if (step.kind === 'file') {
    const file = join(folder, step.name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, step.text.replaceAll(DOCUMENTED_BASE, base));
    return;
  }
  const { line, command, prints = '' } = step;
  const wrong = command.startsWith('npm install ') ? missing(command) : await differs(command, prints, folder, base);
  if (wrong === undefined) passed++;
  else failed++;
  process.stdout.write(`  ${wrong === undefined ? 'holds' : 'FAILS'}  line ${line}: ${command}\n${wrong ?? ''}`);
}

/** All packages were installed from the lock file, so a page may only name those. */
function missing(command: string): string | undefined {
  const names = command
    .split(' ')
    .slice(2)
    .filter((word) => !word.startsWith('--'));
  const absent = names.filter((name) => !existsSync(join(here, 'node_modules', name.replace(/(?<=.)@.*/, ''))));
  return absent.length === 0 ? undefined : `${absent.join(', ')}: not in test/examples/package.json\n`;
}

async function differs(command: string, prints: string, folder: string, base: string): Promise<string | undefined> {
  const script = command.replaceAll(DOCUMENTED_BASE, base);
  const { code, output } = await run(script, folder);
  const printed = output.replaceAll(base, DOCUMENTED_BASE);
  if (code === 0 && isAsDocumented(printed, prints)) return undefined;
  return `it ended with ${code}, and printed\n${printed}\nwhere the page says\n${prints}\n`;
}

function run(script: string, cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', script], { cwd, timeout: PATIENCE }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, output: code === 0 ? stdout : stdout + stderr });
    });
  });
}
