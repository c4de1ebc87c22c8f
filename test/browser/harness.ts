import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { OPEN_ACCESS } from '../../src/engine/auth/access.ts';
import { type Database, openDatabase } from '../../src/engine/db/client.ts';
import { migrateDatabase } from '../../src/engine/db/migrate.ts';
import { type Listener, listen } from '../../src/engine/http/listen.ts';
import { createApp } from '../../src/engine/service.ts';
import { seed } from '../../src/petstore/seed.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { createMetrics } from '../../src/process/metrics.ts';
import { defaultRules, defaultSettings } from '../support/rules.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

/** What a check looks at. */
export interface Visit {
  readonly page: Page;
  readonly base: string;
  /** The same service, with a base path. */
  readonly prefixed: string;
  readonly database: Database;
  /** Another visitor's page; what goes wrong behind it counts too. */
  open(options: BrowserContextOptions): Promise<Page>;
}

/** What has to hold -> how it is seen. */
export type Checks = Readonly<Record<string, (visit: Visit) => Promise<void>>>;

/** In milliseconds, for anything that a page has to do. */
export const PATIENCE = 15_000;

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const PETS = 200;

/** Starts the service and a browser, and ends both when the work is done. Without a browser it says how to get one. */
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
    await migrateDatabase(database);
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

/** Runs the checks, each as a new visitor, and says which hold. */
export async function runChecks(browser: Browser, service: Service, checks: Checks): Promise<void> {
  let [passed, failed] = [0, 0];
  for (const [name, check] of Object.entries(checks)) {
    const faults: string[] = [];
    const contexts: BrowserContext[] = [];
    const open = async (options: BrowserContextOptions) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      await watch(context, faults);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      return page;
    };
    try {
      await check({ ...service, page: await open({}), open });
      if (faults.length > 0) throw new Error('Something went wrong behind the page:');
      passed++;
      process.stdout.write(`  passed  ${name}\n`);
    } catch (error) {
      failed++;
      const message = error instanceof Error ? error.message : String(error);
      process.stdout.write(`  FAILED  ${name}\n${[message, ...faults].join('\n').replaceAll(/^/gm, '            ')}\n`);
    } finally {
      for (const context of contexts) await context.close();
    }
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

/** Lets no request out to any other machine; what tried to get out, and what the console complains of, are faults. */
export async function watch(context: BrowserContext, faults: string[]): Promise<void> {
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
    // What the service rejects is shown by the page.
    if (/the server responded with a status of 4\d\d/.test(line.text())) return;
    if (line.type() === 'error') faults.push(`console: ${line.text()} (${line.location().url})`);
  });
  context.on('weberror', (error) => void faults.push(`error: ${error.error().message}`));
}
