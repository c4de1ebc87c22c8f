import { afterAll, beforeAll, vi } from 'vitest';
import { Database } from '../../../../src/engine/db/client.ts';
import { type ExplainedApp, startExplainedApp } from '../../../support/plans.ts';

export let app: ExplainedApp;
/** The statements that the app has from its start on; those of lists are added on first use. */
export let statements: ReadonlySet<string>;

/** Starts the app before the tests of a file. To fill its database takes seconds, so use one for all tests of plans. */
export function startFilledApp(): void {
  beforeAll(async () => {
    const compile = vi.spyOn(Database.prototype, 'statement');
    app = await startExplainedApp();
    statements = new Set(compile.mock.calls.map(([name]) => name));
    compile.mockRestore();
  });
  afterAll(() => app?.dispose());
}
