import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { brokenRules } from './axe.ts';
import type { Checks } from './harness.ts';

/** The home page, the common parts of all pages, and REST in a browser. */
export const pageChecks: Checks = {
  'every link of the home page leads somewhere': async ({ page, base }) => {
    await page.goto(`${base}/`);
    const addresses = await page
      .locator('a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    ok(addresses.length >= 5, `The home page has ${addresses.length} links.`);
    const headers = { accept: 'text/html, */*;q=0.8' };
    for (const address of addresses) equal((await page.request.get(address, { headers })).status(), 200, address);
  },

  'the example requests on the home page succeed': async ({ page, base }) => {
    await page.goto(`${base}/`);
    const calls = await page.locator('pre').allInnerTexts();
    ok(calls.length >= 2, 'The home page shows requests to copy.');
    for (const call of calls) match(call, new RegExp(`^curl '${base}/`));
    const listed = /'(http[^']+\/pets[^']*)'/.exec(calls.join('\n'))?.[1] ?? '';
    equal(((await (await page.request.get(listed)).json()) as unknown[]).length, 2);
  },

  'pages can be read on a phone: nothing is wider than the screen': async ({ page, base }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ['/', '/lifecycle', '/reference']) {
      await page.goto(base + path);
      equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, path);
    }
  },

  'pages can be read on a phone with very large letters, too': async ({ page, base }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ['/', '/lifecycle', '/reference', '/pets/none']) {
      await page.goto(base + path);
      await page.locator('h1').waitFor();
      await page.evaluate(() => document.documentElement.style.setProperty('font-size', '24px'));
      equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, path);
    }
  },

  'pages have a title, a language and one heading of the first level': async ({ page, base }) => {
    for (const path of ['/', '/lifecycle', '/reference']) {
      await page.goto(base + path);
      match(await page.title(), /Pet store/i);
      equal(await page.getAttribute('html', 'lang'), 'en');
      equal(await page.locator('h1').count(), 1);
    }
  },

  'a browser that opens a REST URL gets JSON that it can show': async ({ page, base }) => {
    const response = await page.goto(`${base}/pets?limit=2`);
    equal(response?.status(), 200);
    match(response?.headers()['content-type'] ?? '', /^application\/json/);
  },

  'an unknown path is a page with a link to the nearest path, light and dark, wide and narrow': async ({
    page,
    base,
  }) => {
    equal((await page.goto(`${base}/PETS`))?.status(), 404);
    deepEqual(await brokenRules(page), []);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    deepEqual(await brokenRules(page), []);
    equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.getByRole('link', { name: '/pets' }).click();
    await page.waitForURL(`${base}/pets`);
  },
};
