import { afterEach } from 'vitest';
import type { Database } from '../../../src/engine/db/client.ts';
import type { LifecycleRules } from '../../../src/engine/lifecycle/enforcement.ts';
import type { Settings } from '../../../src/process/settings.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

const opened: TestApp[] = [];
/** A time for the clocks of the rate limit, in milliseconds. */
export const MOMENT = 1_790_000_000_000;

/** Disposes of the started apps after each test of the file. */
export function disposeApps(): void {
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((app) => app.dispose()));
  });
}

/** Starts an app on an empty database; `wrap` observes its statements. */
export async function start(
  settings: Partial<Settings>,
  rules: Partial<LifecycleRules> = {},
  wrap?: (database: Database) => Database,
  clock?: () => number,
): Promise<TestApp> {
  const app = await startTestApp(settings, rules, wrap, clock);
  opened.push(app);
  return app;
}

/** Starts an app with this rate limit per minute. */
export function limited(
  units: number,
  now = { milliseconds: MOMENT },
  rules: Partial<LifecycleRules> = {},
): Promise<TestApp> {
  return start({ RATE_LIMIT: { units, seconds: 60 } }, rules, undefined, () => now.milliseconds);
}

/** The units that a caller has left. */
export function unitsLeft({ headers }: { headers: Headers }): number {
  return Number(/^"default";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1]);
}
