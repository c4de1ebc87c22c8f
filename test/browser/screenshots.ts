import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { PATIENCE, watch } from './harness.ts';

interface Picture {
  readonly name: string;
  readonly path: string;
  /** Prepares the page for the picture. */
  readonly prepare?: (page: Page) => Promise<void>;
  readonly fullPage?: boolean;
}

const pictures: readonly Picture[] = [
  { name: 'home', path: '/' },
  { name: 'lifecycle', path: '/lifecycle' },
  { name: 'playground', path: '/graphql', prepare: runExample, fullPage: false },
  { name: 'reference', path: '/reference', prepare: (page) => page.locator('#listPets').waitFor() },
  { name: 'reference-tried', path: '/reference#/Animals/listPets', prepare: tryListPets },
];

/** Saves screenshots of the pages for review: light and dark, wide and narrow. */
export async function takeScreenshots(browser: Browser, base: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1400, 390]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      await watch(context, []);
      for (const { name, path, prepare, fullPage = true } of pictures) {
        const page = await context.newPage();
        page.setDefaultTimeout(PATIENCE);
        await page.goto(base + path);
        await prepare?.(page);
        await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage });
      }
      await context.close();
    }
  }
  process.stdout.write(`Pictures of the pages are in ${folder}.\n`);
}

async function runExample(page: Page): Promise<void> {
  await page.getByRole('button', { name: /execute query/i }).click();
  await page
    .locator('.result-window')
    .getByText('"nodes"')
    .waitFor()
    .catch(() => {});
}

async function tryListPets(page: Page): Promise<void> {
  const operation = page.locator('#listPets');
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.getByRole('group', { name: 'Response body' }).waitFor();
}
