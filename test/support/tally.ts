import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

/** How often a run says how far it is, in milliseconds. */
const EVERY = 5_000;

/** Says how far a run is where no terminal shows it, and closes it with one plain line that any tool can read. */
export default class Tally implements Reporter {
  #files = 0;
  #done = 0;
  readonly #running = new Set<TestModule>();
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
    this.#done = 0;
    if (!process.stdout.isTTY) this.#timer = setInterval(() => this.#showProgress(), EVERY).unref();
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.add(module);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module);
    this.#done++;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    clearInterval(this.#timer);
    let [passed, failed] = [0, errors.length];
    for (const module of modules) {
      failed += module.errors().length;
      // What `-t` leaves out is no failure; what a test leaves out itself is.
      const isChosen = module.project.config.testNamePattern !== undefined;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        else if (!(isChosen && state === 'skipped')) failed++;
      }
    }
    // After the default reporter's summary, which is written in the same turn.
    setImmediate(() => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }

  #showProgress(): void {
    const running = [...this.#running].map(({ project, relativeModuleId }) => `${project.name} ${relativeModuleId}`);
    // Before the first file the service is built, and the databases are started.
    const now = running.join(', ') || 'preparing';
    process.stdout.write(`${this.#done} of ${this.#files} files done; now: ${now}\n`);
  }
}
