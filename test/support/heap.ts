import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The growth of the used memory through the work, in mebibytes. */
export async function growthOf(work: () => void | Promise<void>): Promise<number> {
  const before = used();
  await work();
  return used() - before;
}

function used(): number {
  // Weakly referenced objects are only collected the second time.
  for (let times = 0; times < 3; times++) collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
