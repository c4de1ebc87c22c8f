import { eventChecks } from './events.ts';
import { runChecks, withBrowser } from './harness.ts';
import { lifecycleChecks } from './lifecycle.ts';
import { pageChecks } from './pages.ts';
import { playgroundChecks } from './playground.ts';
import { referenceChecks } from './reference.ts';
import { tryItOutChecks } from './reference-try-it-out.ts';
import { takeScreenshots } from './screenshots.ts';

/** The folder for screenshots; without it none are saved. */
const { SCREENSHOTS } = process.env;

await withBrowser(async (browser, service) => {
  await runChecks(browser, service, {
    ...pageChecks,
    ...eventChecks,
    ...lifecycleChecks,
    ...playgroundChecks,
    ...referenceChecks,
    ...tryItOutChecks,
  });
  if (SCREENSHOTS) await takeScreenshots(browser, service.base, SCREENSHOTS);
});
