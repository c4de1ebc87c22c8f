import { equal, match, ok } from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createApp } from '../../src/app.ts';
import { openDatabase } from '../../src/db/client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { listen } from '../../src/http/listen.ts';
import { createMetrics } from '../../src/metrics.ts';
import { seed } from '../../src/seed.ts';
import { usualRules } from '../support/rules.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import { lifecycleChecks } from './lifecycle.ts';

/** A page as a visitor has it, and what went wrong behind it. */
interface Visit {
  readonly page: Page;
  readonly base: string;
}

type Check = (visit: Visit) => Promise<void>;

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
/** A folder for pictures of the pages; none are taken without it. */
const SCREENSHOTS = process.env.SCREENSHOTS;
const PETS = 200;
/** In milliseconds, for anything that a page has to do. */
const PATIENCE = 15_000;

const checks: Readonly<Record<string, Check>> = {
  'every link of the home page leads somewhere': async ({ page, base }) => {
    await page.goto(`${base}/`);
    const addresses = await page
      .locator('a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    ok(addresses.length >= 5, `The home page has ${addresses.length} links.`);
    for (const address of addresses) equal((await page.request.get(address)).status(), 200, address);
  },

  'the calls that the home page shows are answered': async ({ page, base }) => {
    await page.goto(`${base}/`);
    const calls = await page.locator('pre').allInnerTexts();
    ok(calls.length >= 2, 'The home page shows calls to copy.');
    for (const call of calls) match(call, new RegExp(`^curl '${base}/`));
    const listed = /'(http[^']+\/pets[^']*)'/.exec(calls.join('\n'))?.[1] ?? '';
    equal(((await (await page.request.get(listed)).json()) as unknown[]).length, 2);
  },

  'the playground opens with examples, and running one shows data of this service': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    const editor = page.locator('.graphiql-query-editor');
    await editor.getByText('Five pets by name').waitFor();
    ok((await page.locator('.graphiql-tab').count()) >= 3, 'Each example has a tab.');
    await page.getByRole('button', { name: /execute query/i }).click();
    const results = page.locator('.result-window');
    await results.getByText('"nodes"').waitFor();
    match((await results.textContent()) ?? '', /"category"/);
  },

  'an example can be run by Ctrl+Enter': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    const editor = page.locator('.graphiql-query-editor');
    await editor.getByText('Five pets by name').waitFor();
    // A tab can be dragged, and so does not take a press without a hand that moves; the keyboard it does take.
    await page.getByRole('button', { name: 'OpenOrders' }).press('Enter');
    await editor.getByText('the earliest ship date first').waitFor();
    await editor.getByText('the earliest ship date first').click();
    await page.keyboard.press('Control+Enter');
    await page.locator('.result-window').getByText('"totalCount"').waitFor();
  },

  'the playground knows the schema': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    await page.getByRole('button', { name: /show documentation explorer/i }).click();
    await page.getByText('root types', { exact: false }).first().waitFor();
  },

  ...lifecycleChecks,

  'pages can be read on a phone: nothing is wider than the screen': async ({ page, base }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ['/', '/lifecycle']) {
      await page.goto(base + path);
      equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, path);
    }
  },

  'pages have a title, a language and one heading of the first level': async ({ page, base }) => {
    for (const path of ['/', '/lifecycle']) {
      await page.goto(base + path);
      match(await page.title(), /Pet store/i);
      equal(await page.getAttribute('html', 'lang'), 'en');
      equal(await page.locator('h1').count(), 1);
    }
  },

  'a browser that opens REST gets JSON it can show': async ({ page, base }) => {
    const response = await page.goto(`${base}/pets?limit=2`);
    equal(response?.status(), 200);
    match(response?.headers()['content-type'] ?? '', /^application\/json/);
  },
};

await run();

async function run(): Promise<void> {
  if (!existsSync(EXECUTABLE)) {
    process.stderr.write(
      `There is no browser at ${EXECUTABLE}. Install one, on Debian and Ubuntu with\n\n  apt-get install chromium\n\nor set CHROMIUM to the path of a Chromium or Chrome.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const folder = makeTemporaryFolder();
  const database = await openDatabase({ url: undefined, folder: join(folder.path, 'data') });
  try {
    await migrateDatabase(database);
    await seed(database, PETS, () => {});
    const app = createApp({
      database,
      settings: { BASE_PATH: '', PUBLIC_URL: undefined, CORS_ORIGINS: ['*'] },
      rules: usualRules,
      metrics: createMetrics(),
      logger: pino({ level: 'silent' }),
    });
    await app.begin();
    const listener = await listen(app.listener, { host: '127.0.0.1', port: 0 });
    const browser = await chromium.launch({
      executablePath: EXECUTABLE,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    try {
      const base = `http://127.0.0.1:${listener.port}`;
      await runChecks(browser, base);
      if (SCREENSHOTS) await takeScreenshots(browser, base, SCREENSHOTS);
    } finally {
      await browser.close();
      await listener.drain(0);
    }
  } finally {
    await database.close();
    folder.remove();
  }
}

async function runChecks(browser: Browser, base: string): Promise<void> {
  let [passed, failed] = [0, 0];
  for (const [name, check] of Object.entries(checks)) {
    const context = await browser.newContext();
    const faults = await watch(context);
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      await check({ page, base });
      if (faults.length > 0) throw new Error('Something went wrong behind the page:');
      passed++;
      process.stdout.write(`  passed  ${name}\n`);
    } catch (error) {
      failed++;
      const message = error instanceof Error ? error.message : String(error);
      process.stdout.write(`  FAILED  ${name}\n${[message, ...faults].join('\n').replaceAll(/^/gm, '            ')}\n`);
    } finally {
      await context.close();
    }
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

/** Lets no request out to any other machine; what tried to get out, and what the console complains of, are faults. */
async function watch(context: BrowserContext): Promise<string[]> {
  const faults: string[] = [];
  await context.route(
    () => true,
    (route) => {
      const { protocol, hostname } = new URL(route.request().url());
      if (hostname === '127.0.0.1' || protocol === 'data:' || protocol === 'blob:') return route.continue();
      faults.push(`asked another machine: ${route.request().url()}`);
      return route.abort();
    },
  );
  await context.routeWebSocket(
    () => true,
    (socket) => {
      faults.push(`opened a socket: ${socket.url()}`);
      void socket.close();
    },
  );
  context.on('console', (line) => {
    if (line.type() === 'error') faults.push(`console: ${line.text()} (${line.location().url})`);
  });
  context.on('weberror', (error) => void faults.push(`error: ${error.error().message}`));
  return faults;
}

async function takeScreenshots(browser: Browser, base: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1400, 390]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      await watch(context);
      for (const [name, path] of [
        ['home', '/'],
        ['lifecycle', '/lifecycle'],
        ['playground', '/graphql'],
      ] as const) {
        const page = await context.newPage();
        await page.goto(base + path);
        if (name === 'playground') {
          await page.getByRole('button', { name: /execute query/i }).click();
          await page
            .locator('.result-window')
            .getByText('"nodes"')
            .waitFor({ timeout: PATIENCE })
            .catch(() => {});
        }
        await page.screenshot({
          path: join(folder, `${name}-${colorScheme}-${width}.png`),
          fullPage: name !== 'playground',
        });
      }
      await context.close();
    }
  }
  process.stdout.write(`Pictures of the pages are in ${folder}.\n`);
}
