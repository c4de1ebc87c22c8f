import { readFileSync } from 'node:fs';

/** In microseconds: Linux counts processor time in hundredths of a second. */
const TICK = 10_000;

/** The processor time of the process and its workers so far, user and system, in microseconds. */
export function processorTime(pid: number): number | undefined {
  return sumOf(pid, (one) => {
    const line = read(`/proc/${one}/stat`);
    // The second field is the program's name in parentheses, which may contain anything.
    const fields = line?.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields && (Number(fields[11]) + Number(fields[12])) * TICK;
  });
}

/** The resident memory of the process and its workers, in mebibytes; shared memory counts for each. */
export function residentMemory(pid: number): number | undefined {
  return sumOf(pid, (one) => {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${one}/status`) ?? '') ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
  });
}

function sumOf(pid: number, figureOf: (pid: number) => number | undefined): number | undefined {
  const workers = read(`/proc/${pid}/task/${pid}/children`)?.split(' ').filter(Boolean).map(Number) ?? [];
  const figures = [pid, ...workers].map(figureOf).filter((figure) => figure !== undefined);
  return figures.length === 0 ? undefined : figures.reduce((sum, figure) => sum + figure, 0);
}

/** Only Linux has these files. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
