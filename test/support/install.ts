import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Installs the packages of a folder from its lock file, unless they are installed. */
export function installFromLock(folder: string): void {
  if (existsSync(join(folder, 'node_modules'))) return;
  process.stdout.write(`Installing: npm ci in ${folder}, once.\n`);
  execFileSync('npm', ['ci', '--no-progress'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
