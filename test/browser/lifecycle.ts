import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { lifecyclePage } from '../../src/engine/pages/lifecycle.ts';
import { busyUsage, exampleReport, NOON, noUsage } from '../support/annotations.ts';
import { defaultRules } from '../support/rules.ts';
import { brokenRules } from './axe.ts';
import type { Checks } from './harness.ts';

const AT_NOON = { ...defaultRules, clock: () => NOON };
const CLIENTS = ['shop-app', 'warehouse-sync', 'partner-feed'];

/** The lifecycle page. */
export const lifecycleChecks: Checks = {
  'the lifecycle page shows the sunset of deprecated elements, and which are beta or experimental': async ({
    page,
    base,
  }) => {
    await page.goto(`${base}/lifecycle#Query.pet`);
    const pet = page.locator('[id="Query.pet"]');
    equal(await pet.evaluate((card) => card.matches(':target')), true);
    for (const text of ['GET /pets/{petId}', '31 December 2027', '1 July 2026', 'GET /pets?id={petId}', 'Query.pets']) {
      await pet.getByText(text, { exact: true }).first().waitFor();
    }
    for (const [coordinate, level] of [
      ['Mutation.updatePet', 'beta'],
      ['Mutation.stopTracking', 'experimental'],
    ]) {
      await page.locator(`[id="${coordinate}"]`).getByText(`${level}`, { exact: true }).waitFor();
    }
  },

  'the lifecycle page shows three clients that called, and their uses of today': async ({ page, base }) => {
    for (const client of CLIENTS) {
      equal((await page.request.get(`${base}/pets/1`, { headers: { 'api-client': client } })).status(), 200);
    }
    const pet = page.locator('[id="Query.pet"]');
    const rows = pet.getByRole('rowheader');
    await page.goto(`${base}/lifecycle`);
    // Uses are stored within a few seconds; other checks may have sent requests too.
    for (let tries = 0; tries < 20 && !(await rows.allInnerTexts()).includes('partner-feed'); tries++) {
      await page.waitForTimeout(500);
      await page.reload();
    }
    const listed = await rows.allInnerTexts();
    deepEqual(
      CLIENTS.filter((client) => !listed.includes(client)),
      [],
    );
    equal(await pet.locator('.verdict').innerText(), `${listed.length} clients left`);
    const seen = await pet.locator('td time').first().getAttribute('datetime');
    ok(Date.now() - Date.parse(seen ?? '') < 60_000, `The last use was seen at ${seen}.`);
    const chart = pet.getByRole('img', { name: /^Uses per day from / });
    const [drawing, bar] = [await chart.boundingBox(), await chart.locator('.bar').boundingBox()];
    ok(drawing !== null && bar !== null && bar.height > 50);
    ok(bar.x >= drawing.x && bar.x + bar.width <= drawing.x + drawing.width);
    match((await chart.locator('g:last-of-type title').textContent()) ?? '', /: \d+ uses$/);
  },

  'the timeline shows today between the past and the future': async ({ page, base }) => {
    await page.goto(`${base}/lifecycle`);
    const track = page.getByRole('img', { name: 'Deprecated from 1 July 2026; sunset on 31 December 2027' });
    const [over, toCome] = [await track.locator('.over').boundingBox(), await track.locator('.to-come').boundingBox()];
    ok(over !== null && toCome !== null);
    ok(Math.abs(over.x + over.width - toCome.x) < 3 && over.width > 0 && toCome.width > 0);
    await page.getByText(/^Today, \d+ \w+ \d{4}$/).waitFor();
  },

  'axe finds no error on the lifecycle page, wide or narrow, light or dark': async ({ page, base }) => {
    const states = {
      'a busy page': lifecyclePage('Pet store', exampleReport(busyUsage), AT_NOON, '', base),
      'a page without uses': lifecyclePage('Pet store', exampleReport(noUsage), AT_NOON, '', base),
      'a page without annotations': lifecyclePage('Pet store', [], AT_NOON, '', base),
    };
    await page.goto(`${base}/lifecycle`);
    await assertAccessible(page, 'the service');
    for (const [name, html] of Object.entries(states)) {
      await page.setContent(html);
      await assertAccessible(page, name);
    }
  },
};

async function assertAccessible(page: Page, name: string): Promise<void> {
  for (const folded of await page.locator('details').all()) {
    await folded.evaluate((details) => details.setAttribute('open', ''));
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1400, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const where = `${name}, ${colorScheme}, ${width} wide`;
      equal(await page.evaluate(() => document.documentElement.scrollWidth), width, where);
      deepEqual(await brokenRules(page), [], where);
    }
  }
}
