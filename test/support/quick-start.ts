/**
 * Options of Node.js with which a process on the embedded database starts in two thirds of the time: its WebAssembly is not
 * optimised, which pays off only for a process that lives for longer than a test.
 */
export const QUICK_START = ['--liftoff-only'];
