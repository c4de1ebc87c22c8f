import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The process and its child processes. */
export async function familyOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await execute('ps', ['-o', 'pid=', '--ppid', `${pid}`]).catch(() => ({ stdout: '' }));
  return [pid, ...stdout.split('\n').map(Number).filter(Boolean)];
}

/** Sends a signal to each that still runs. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Waits until all have ended. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isThere)) await sleep(20);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
