import { setFlagsFromString } from 'node:v8';

/** How far the heap grows beyond its live objects before the next garbage collection, in percent. */
const GROWTH = 10;

// By default, V8 lets the heap grow to a multiple if the machine has enough memory, and keeps that memory.
setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
// V8 would allocate in the old generation what has survived a few collections under load, and would then have to collect
// that more often, although nothing of a request lives long.
setFlagsFromString('--no-allocation-site-pretenuring');
// By default, V8 keeps the code of every operation that was ever compiled, in case the same text is compiled again.
setFlagsFromString('--no-compilation-cache');
