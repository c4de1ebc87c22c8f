import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './processes.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Installs the peers from their lock file, unless they are there. */
export async function installPeers(say: (line: string) => void): Promise<void> {
  if (existsSync(join(folder, 'node_modules'))) return;
  say('Installing the peers: npm ci in test/bench, once.');
  await runToEnd('npm ci', { program: 'npm', args: ['ci'], folder, environment: {} });
}

/** Builds what `npm start` runs. */
export async function buildService(root: string): Promise<void> {
  await runToEnd('npm run build', {
    program: 'npm',
    args: ['run', '--silent', 'build'],
    folder: root,
    environment: {},
  });
}
