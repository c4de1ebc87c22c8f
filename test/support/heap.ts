import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** How much more memory is in use after the work than before it, in mebibytes: what it leaves behind. */
export async function growthOf(work: () => void | Promise<void>): Promise<number> {
  const before = used();
  await work();
  return used() - before;
}

function used(): number {
  // What is only weakly held goes at the second time.
  for (let times = 0; times < 3; times++) collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
