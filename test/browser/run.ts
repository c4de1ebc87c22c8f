import { runChecks, withBrowser } from './harness.ts';
import { lifecycleChecks } from './lifecycle.ts';
import { pageChecks } from './pages.ts';
import { playgroundChecks } from './playground.ts';
import { referenceChecks } from './reference.ts';
import { referenceTrialChecks } from './reference-try-it-out.ts';
import { takeScreenshots } from './screenshots.ts';

/** A folder for pictures of the pages; none are taken without it. */
const { SCREENSHOTS } = process.env;

await withBrowser(async (browser, service) => {
  await runChecks(browser, service, {
    ...pageChecks,
    ...lifecycleChecks,
    ...playgroundChecks,
    ...referenceChecks,
    ...referenceTrialChecks,
  });
  if (SCREENSHOTS) await takeScreenshots(browser, service.base, SCREENSHOTS);
});
