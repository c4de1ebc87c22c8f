import { readFileSync } from 'node:fs';

/** In microseconds: Linux counts processor time to processes in hundredths of a second, whatever its own clock. */
const TICK = 10_000;

/** The processor time that the process has taken so far, its own and the system's for it, in microseconds. */
export function processorTime(pid: number): number | undefined {
  const line = read(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may hold anything.
  const fields = line?.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK;
}

/** The memory that the process has in RAM, in mebibytes. */
export function residentMemory(pid: number): number | undefined {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '') ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
}

/** Only Linux has these files. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
