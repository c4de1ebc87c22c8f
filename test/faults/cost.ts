import { existsSync, readFileSync } from 'node:fs';
import { NotHere } from './finding.ts';
import { familyOf } from './processes.ts';

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
  const [, ...backends] = await familyOf(serverPid);
  const database = backends.reduce((sum, pid) => sum + processorTime(pid), 0);
  return { database, service: processorTime(servicePid) };
}
