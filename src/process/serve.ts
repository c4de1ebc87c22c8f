import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Application, eventSourcesOf } from '../engine/application.ts';
import type { Database } from '../engine/db/client.ts';
import { assertColumns } from '../engine/db/migrate.ts';
import { failureLog } from '../engine/failure-log.ts';
import { listen, MAX_ARRIVAL } from '../engine/http/listen.ts';
import type { Clock } from '../engine/lifecycle/enforcement.ts';
import { createApp } from '../engine/service.ts';
import type { Tracing } from '../engine/tracing/span.ts';
import { accessFrom } from './access.ts';
import type { Metrics } from './metrics.ts';
import { assertReady, openFrom, prepareDatabase } from './prepare-database.ts';
import type { Settings } from './settings.ts';

/** How long a stop waits for requests in progress, in milliseconds. A whole stop takes less than 10 s. */
const GRACE = 7_500;
/** How long it waits for the last counts to be stored, and for the database to close, each in milliseconds. */
const LAST_WORK = 1_000;
/** How long a client may pause while it reads a response, in milliseconds, in addition to `REQUEST_TIMEOUT`. */
const MAX_PAUSE = 30_000;

/** What a process serves. */
export interface Program {
  readonly application: Application;
  /** The example data of the embedded database. */
  readonly examples?: {
    areMissing(database: Database): Promise<boolean>;
    load(database: Database): Promise<void>;
  };
}

/** Prepares the database for the workers that share it. */
export async function prepare({ application }: Program, settings: Settings, logger: Logger): Promise<void> {
  const database = await openFrom(settings, application.name, logger);
  try {
    await prepareDatabase(database, eventSourcesOf(application), settings, logger);
  } finally {
    await database.close();
  }
}

/** Fills an empty embedded database with examples, except in production. Workers never have an embedded database. */
async function addExamples({ examples }: Program, database: Database, settings: Settings, logger: Logger) {
  if (database.kind !== 'embedded' || settings.NODE_ENV === 'production') return;
  if (!(await examples?.areMissing(database))) return;
  logger.info('loading example data into the empty database');
  await examples?.load(database);
}

/** Starts the service. Throws an error of one line when it can't use the database or listen on the address. */
export async function serve(
  served: Program,
  settings: Settings,
  logger: Logger,
  { isPrepared, tracing, metrics }: { isPrepared: boolean; tracing: Tracing | undefined; metrics: Metrics },
) {
  const { application } = served;
  const probe = { ...metrics.probe, tracing: tracing?.statements };
  const database = await openFrom(settings, application.name, logger, probe);
  try {
    const sources = eventSourcesOf(application);
    // Since the service was started, another version may have been built.
    if (isPrepared) await assertReady(database, sources, settings.EVENTS, 'a running service applies none', logger);
    else await prepareDatabase(database, sources, settings, logger);
    const { LIFECYCLE_CLOCK: rehearsed, SUNSET: sunset, BROWNOUTS: brownouts } = settings;
    const rules = { clock: clockFrom(rehearsed), isRehearsal: rehearsed !== undefined, sunset, brownouts };
    const access = await accessFrom(settings, database, application.name);
    const app = createApp({ application, database, settings, access, rules, metrics, logger, tracing });
    // If a migration was never generated, requests would fail, one by one.
    await database.transaction((query) => assertColumns(query, database.tables));
    await addExamples(served, database, settings, logger);
    await app.begin();
    if (settings.AUTH === 'open') logger.warn(openTo(settings));
    if (rules.isRehearsal) {
      logger.warn({ clock: rules.clock() }, 'LIFECYCLE_CLOCK rehearses a day; uses are not counted meanwhile');
    }
    const listener = await listen(app.listener, {
      host: settings.HOST,
      port: settings.PORT,
      stall: settings.REQUEST_TIMEOUT + MAX_PAUSE,
      onFailure: failureLog(logger, 'a connection could not be accepted'),
    }).catch(async (error: unknown) => {
      await shortly(app.flush());
      throw error;
    });
    let stopping: Promise<void> | undefined;
    return {
      port: listener.port,
      /**
       * Accepts no more requests, finishes those in progress and closes the database. A further call can shorten the
       * time for it. `isReplaced` means that another process serves on the same port now.
       */
      stop({ isReplaced }: { isReplaced: boolean }): Promise<void> {
        // A process that is replaced has as much time as its requests can take.
        const grace = isReplaced ? MAX_ARRIVAL + settings.REQUEST_TIMEOUT + LAST_WORK : GRACE;
        app.beginDrain({ isReplaced, grace });
        const drained = listener.drain(grace);
        const finish = async () => {
          await drained;
          await shortly(Promise.all([app.flush(), tracing?.shutdown().catch(() => {})]));
          await shortly(database.close());
        };
        stopping ??= finish();
        return stopping;
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Waits for the last work of a process, but not for long, whatever the database does. */
async function shortly(work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  // A timer that is left would keep the process running.
  await Promise.race([work, sleep(LAST_WORK, undefined, ended)]).finally(() => ended.abort());
}

/** The clock; in a rehearsal, it runs from the rehearsed instant. */
function clockFrom(rehearsed: Date | undefined): Clock {
  const ahead = rehearsed === undefined ? 0 : rehearsed.getTime() - Date.now();
  return () => new Date(Date.now() + ahead);
}

function openTo({ CORS_ORIGINS: origins, JWT_JWKS_URL }: Settings): string {
  const pages = origins.includes('*')
    ? ', and so can any web page that a user of this machine opens (CORS_ORIGINS)'
    : '';
  const ignored = JWT_JWKS_URL === undefined ? '' : '; JWT_JWKS_URL has no effect';
  return `everyone can read and change everything${pages}${ignored}; set AUTH=required to close changes`;
}
