import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each is a whole run of its own kind: the browser's and the benchmark's. */
const elsewhere = [...configDefaults.exclude, 'test/browser/**', 'test/bench/**'];
/** What a client sees of a service: on both databases. */
const services = ['test/service/**/*.test.ts', 'test/bookshop/**/*.test.ts', 'test/clients/**/*.test.ts'];
/** Of these, what the service rejects before it asks a database: on one, on which processes start sooner. */
const rejected = [
  'test/service/malformed.test.ts',
  'test/service/graphql/hostile.test.ts',
  'test/service/access/{pages,scopes,tokens}.test.ts',
];
/**
 * Of these, the plans of 20,000 rows, which both databases make with the same planner: on both in `.ci/run` alone, where
 * TEST_CASES is `all`.
 */
const planned = process.env.TEST_CASES === 'all' ? [] : ['test/service/db/plans.test.ts'];
/** Of these, what needs several processes or transactions at the same time, which the embedded database does not have. */
const onServer = ['test/service/**/*.server.test.ts'];
/** Of these, what only the embedded database has. */
const onEmbedded = ['test/service/**/*.embedded.test.ts'];
/** What sets options of V8, or loads or mocks modules: in a process of its own. */
const alone = [
  'test/engine/bounds.test.ts',
  'test/engine/hidden-classes.test.ts',
  'test/engine/operation/documents.test.ts',
  'test/engine/pages/lifecycle/page.test.ts',
];
// A worker loads the service and the embedded database once, not for each file.
const together = { isolate: false };
const withDatabase = { include: services, ...together };

/** Waits for the longest time limit of the service: as one of the last files, it would leave the processors idle. */
const LONGEST_WAIT = 'test/service/malformed.test.ts';

class LongestWaitFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith(LONGEST_WAIT);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  resolve: {
    // Vite would take graphql's "module" entry for our code while Node takes "main" for the packages that use it: two
    // realms. So we take what Node takes; subpaths such as graphql/utilities would bring the second realm back.
    alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }],
  },
  test: {
    reporters: ['default', './test/support/tally.ts'],
    sequence: { sequencer: LongestWaitFirst },
    pool: 'forks',
    // Two more than there are processors, because many tests wait for a time limit. A worker has a database and its pool
    // of ten connections; the test server takes 200 in all.
    maxWorkers: Math.min(4, availableParallelism() + 2),
    // Of the single tests, a run lists those that take long.
    slowTestThreshold: 5_000,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // On a slow machine too; by default, a second.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'embedded',
          globalSetup: ['test/support/global-build.ts', 'test/support/global-embedded.ts'],
          exclude: [...elsewhere, ...rejected, ...planned, ...onServer],
          ...withDatabase,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          globalSetup: ['test/support/global-build.ts', 'test/support/global-server.ts'],
          exclude: [...elsewhere, ...onEmbedded],
          ...withDatabase,
        },
      },
      {
        extends: true,
        test: {
          name: 'plain',
          include: ['test/**/*.test.ts'],
          exclude: [...elsewhere, ...services, ...alone],
          ...together,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone },
      },
    ],
  },
});
