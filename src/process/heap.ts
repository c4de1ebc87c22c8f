import { setFlagsFromString } from 'node:v8';

/** How far the heap grows beyond what lives in it before it is collected, in percent. */
const GROWTH = 10;

// V8 would let it grow to a multiple where the machine has memory to spare, and keep what it has grown to.
setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
// V8 would keep the code of every operation that was ever compiled, for the case that the same text is compiled again.
setFlagsFromString('--no-compilation-cache');
