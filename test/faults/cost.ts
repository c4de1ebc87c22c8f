import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { NotHere } from './finding.ts';

const execute = promisify(execFile);

/** The processor time of a process so far, in microseconds; 0 if it has ended. */
function processorTime(pid: number): number {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1_000 : 0;
}

/** The processor times of a database server and of a service so far, in microseconds. */
export interface Spent {
  readonly database: number;
  readonly service: number;
}

/** @throws {NotHere} where the system does not provide it; Linux does */
export async function spentBy(serverPid: number, servicePid: number): Promise<Spent> {
  if (!existsSync('/proc/self/schedstat')) throw new NotHere('processor times are read from /proc, which Linux has');
  const { stdout } = await execute('ps', ['-o', 'pid=', '--ppid', `${serverPid}`]);
  const backends = stdout.split('\n').map(Number).filter(Boolean);
  const database = backends.reduce((sum, pid) => sum + processorTime(pid), 0);
  return { database, service: processorTime(servicePid) };
}

/** The physical memory of a process, in MiB. */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
