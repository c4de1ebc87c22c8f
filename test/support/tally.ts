import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with one plain line that any tool can read. */
export default class Tally implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let [passed, failed] = [0, errors.length];
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed++;
        else failed++;
      }
    }
    // After the default reporter's summary, which is written in the same turn.
    setImmediate(() => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
