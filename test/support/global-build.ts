import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Builds what `npm start` runs. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.js'], { cwd: fileURLToPath(new URL('../..', import.meta.url)) });
}
