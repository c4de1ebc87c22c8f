import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { eventSourcesOf } from '../../src/engine/application.ts';
import { OPEN_ACCESS } from '../../src/engine/auth/access.ts';
import { type Database, openDatabase } from '../../src/engine/db/client.ts';
import { type Listener, listen } from '../../src/engine/http/listen.ts';
import { createApp } from '../../src/engine/service.ts';
import { seed } from '../../src/petstore/seed.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { createMetrics } from '../../src/process/metrics.ts';
import { prepareDatabase } from '../../src/process/prepare-database.ts';
import { defaultRules, defaultSettings } from '../support/rules.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

/** The input of a check. */
interface Visit {
  readonly page: Page;
  readonly base: string;
  /** The same service, with a base path. */
  readonly prefixed: string;
  readonly database: Database;
  /** Opens a page as another visitor; its errors fail the check too. */
  open(options: BrowserContextOptions): Promise<Page>;
}

/** The title of each check, and how to run it. */
export type Checks = Readonly<Record<string, (visit: Visit) => Promise<void>>>;

/** The maximum time for any action of a page, in milliseconds. */
export const PATIENCE = 15_000;

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const PETS = 200;

/** Starts the service and a browser, and stops both after the work. Without a browser, the error says what to install. */
export async function withBrowser(work: (browser: Browser, visit: Service) => Promise<void>): Promise<void> {
  if (!existsSync(EXECUTABLE)) {
    process.stderr.write(
      `There is no browser at ${EXECUTABLE}. Install one, on Debian and Ubuntu with\n\n  apt-get install chromium\n\nor set CHROMIUM to the path of a Chromium or Chrome.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const folder = makeTemporaryFolder();
  const database = await openDatabase({ url: undefined, folder: join(folder.path, 'data'), timeout: 10_000 });
  try {
    await prepareDatabase(database, eventSourcesOf(petStoreService), { MIGRATE: 'on', EVENTS: 'on' });
    await seed(database, PETS, () => {});
    const listeners = await Promise.all(['', '/api/v1'].map((basePath) => serve(database, basePath)));
    const browser = await chromium.launch({
      executablePath: EXECUTABLE,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    try {
      const [base = '', prefixed = ''] = listeners.map(({ port }) => `http://127.0.0.1:${port}`);
      await work(browser, { base, prefixed: `${prefixed}/api/v1`, database });
    } finally {
      await browser.close();
      await Promise.all(listeners.map((listener) => listener.drain(0)));
    }
  } finally {
    await database.close();
    folder.remove();
  }
}

type Service = Pick<Visit, 'base' | 'prefixed' | 'database'>;

async function serve(database: Database, basePath: string): Promise<Listener> {
  const app = createApp({
    application: petStoreService,
    database,
    settings: { ...defaultSettings, BASE_PATH: basePath },
    access: OPEN_ACCESS,
    rules: defaultRules,
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
  });
  await app.begin();
  return listen(app.listener, { host: '127.0.0.1', port: 0, stall: 40_000 });
}

/** Runs each check as a new visitor, and reports its result. */
export async function runChecks(browser: Browser, service: Service, checks: Checks): Promise<void> {
  let [passed, failed] = [0, 0];
  for (const [name, check] of Object.entries(checks)) {
    const errors: string[] = [];
    const contexts: BrowserContext[] = [];
    const open = async (options: BrowserContextOptions) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      await watch(context, errors);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      return page;
    };
    try {
      await check({ ...service, page: await open({}), open });
      if (errors.length > 0) throw new Error('Errors behind the page:');
      passed++;
      process.stdout.write(`  passed  ${name}\n`);
    } catch (error) {
      failed++;
      const message = error instanceof Error ? error.message : String(error);
      process.stdout.write(`  FAILED  ${name}\n${[message, ...errors].join('\n').replaceAll(/^/gm, '            ')}\n`);
    } finally {
      for (const context of contexts) await context.close();
    }
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

/** Blocks requests to other hosts; records these, and errors on the console, as errors. */
export async function watch(context: BrowserContext, errors: string[]): Promise<void> {
  await context.route(
    () => true,
    (route) => {
      const { protocol, hostname } = new URL(route.request().url());
      if (hostname === '127.0.0.1' || protocol === 'data:' || protocol === 'blob:') return route.continue();
      errors.push(`asked another machine: ${route.request().url()}`);
      return route.abort();
    },
  );
  await context.routeWebSocket(
    () => true,
    (socket) => {
      errors.push(`opened a socket: ${socket.url()}`);
      void socket.close();
    },
  );
  context.on('console', (line) => {
    // The page itself shows responses with 4xx.
    if (/the server responded with a status of 4\d\d/.test(line.text())) return;
    if (line.type() === 'error') errors.push(`console: ${line.text()} (${line.location().url})`);
  });
  context.on('weberror', (error) => void errors.push(`error: ${error.error().message}`));
}
