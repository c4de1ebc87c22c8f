import { pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { createApp } from './app.ts';
import { type Database, openDatabase } from './db/client.ts';
import { migrateDatabase } from './db/migrate.ts';
import { readSettings, type Settings, SettingsError } from './env.ts';
import { type Listener, listen } from './http/listen.ts';
import type { Clock } from './lifecycle/guard.ts';
import { createMetrics } from './metrics.ts';
import { isEmpty, seed } from './seed.ts';

/** How long requests in flight may take to finish after a stop was asked for, in milliseconds. */
const GRACE = 8_000;
const EXAMPLE_PETS = 200;

start().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof SettingsError ? `The settings cannot be used:\n${message}\n` : `${message}\n`);
  process.exitCode = 1;
});

async function start(): Promise<void> {
  const settings = readSettings(process.env);
  const isTerminal = process.stdout.isTTY;
  const logger = pino(
    { level: settings.LOG_LEVEL },
    isTerminal ? PinoPretty({ sync: true, ignore: 'pid,hostname' }) : undefined,
  );
  const metrics = createMetrics();
  const location = { url: settings.DATABASE_URL, folder: settings.DATA_DIR };
  const database = await openDatabase(location, metrics.probe);
  try {
    await prepare(database);
    const rules = {
      clock: clockFrom(settings.LIFECYCLE_CLOCK),
      isRehearsal: settings.LIFECYCLE_CLOCK !== undefined,
      sunset: settings.SUNSET,
      brownouts: settings.BROWNOUTS,
    };
    const app = createApp({ database, settings, rules, metrics, logger });
    await app.begin();
    if (rules.isRehearsal) {
      logger.warn({ clock: rules.clock() }, 'LIFECYCLE_CLOCK rehearses a day; uses are not counted meanwhile');
    }
    const listener = await listen(app.listener, { host: settings.HOST, port: settings.PORT });
    const stop = async (signal: string) => {
      logger.info({ signal }, 'stopping: no more requests are taken, those in flight are finished');
      app.beginDrain();
      await listener.drain(GRACE);
      await app.flush();
      await database.close();
      logger.info('stopped');
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        stop(signal).catch((error: unknown) => {
          logger.error({ err: error }, 'the stop failed');
          process.exitCode = 1;
        });
      });
    }
    announce(settings, listener.port, database.kind);
  } catch (error) {
    await database.close();
    throw error;
  }

  async function prepare(database: Database): Promise<void> {
    const applied = await migrateDatabase(database);
    if (applied > 0) logger.info({ applied }, 'database migrated');
    if (database.kind === 'embedded' && (await isEmpty(database))) {
      await seed(database, EXAMPLE_PETS, () => {});
      logger.info({ pets: EXAMPLE_PETS }, 'example data loaded into the empty database');
    }
  }

  function announce(
    { HOST, BASE_PATH, PUBLIC_URL, DATA_DIR }: Settings,
    port: Listener['port'],
    kind: Database['kind'],
  ): void {
    const host = HOST.includes(':') ? `[${HOST}]` : HOST;
    const base = `${PUBLIC_URL ?? `http://${host}:${port}`}${BASE_PATH}`;
    const where = kind === 'embedded' ? `embedded, in ${DATA_DIR}` : 'the server of DATABASE_URL';
    if (!isTerminal) {
      logger.info({ base, graphql: `${base}/graphql`, openapi: `${base}/openapi.json`, database: where }, 'started');
      return;
    }
    process.stdout.write(`
  Pet store      ${base}/
  GraphQL        ${base}/graphql
  REST           ${base}/pets  ${base}/reference
  Descriptions   ${base}/openapi.json  ${base}/schema.graphql
  Database       ${where}

  Stop with Ctrl+C.

`);
  }
}

/** The time; or, to rehearse a day, the time as if it were that instant now. */
function clockFrom(rehearsed: Date | undefined): Clock {
  if (rehearsed === undefined) return () => new Date();
  const ahead = rehearsed.getTime() - Date.now();
  return () => new Date(Date.now() + ahead);
}
