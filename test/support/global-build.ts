import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds what `npm start` runs, so that tests of the process start just that, and soon. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.js'], { cwd: root });
}
