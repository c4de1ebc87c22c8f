import './process/heap.ts';
import cluster from 'node:cluster';
import { type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { createMetrics } from './process/metrics.ts';
import { prepare, serve } from './process/serve.ts';
import { misspeltSettings, readSettings, type Settings, SettingsError } from './process/settings.ts';
import { tracingFrom } from './process/tracing/tracing.ts';
import { sharedMetrics } from './process/workers/metrics.ts';
import { onReplaced, reportStart, startWorkers } from './process/workers/start.ts';

/** The time for pending writes after everything has stopped, in milliseconds. */
const EXIT_DELAY = 250;

const isTerminal = process.stdout.isTTY;

start().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  if (cluster.isWorker) return reportStart({ failure: message }).then(() => process.exit(1));
  process.stderr.write(error instanceof SettingsError ? `The settings cannot be used:\n${message}\n` : `${message}\n`);
  process.exitCode = 1;
});

async function start(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = pino(
    { level: settings.LOG_LEVEL },
    isTerminal ? PinoPretty({ sync: true, ignore: 'pid,hostname' }) : undefined,
  );
  if (cluster.isWorker) return startWorker(settings, logger);
  for (const misspelt of misspeltSettings(process.env)) logger.warn(misspelt);
  if (settings.WORKERS > 1) await startAll(settings, logger);
  else await startAlone(settings, logger);
}

async function startAlone(settings: Settings, logger: Logger): Promise<void> {
  const serving = await serve(settings, logger, { isPrepared: false, tracing: await tracingFrom(process.env, logger) });
  stopOnSignal(['SIGTERM', 'SIGINT', 'SIGHUP'], () => serving.stop({ isReplaced: false }), logger);
  announce(settings, logger, serving.port);
}

async function startAll(settings: Settings, logger: Logger): Promise<void> {
  await prepare(settings, logger);
  const workers = await startWorkers(settings.WORKERS, logger);
  stopOnSignal(['SIGTERM', 'SIGINT'], () => workers.stop(), logger);
  process.on('SIGHUP', () => {
    workers.replace().catch((error: unknown) => logger.error({ err: error }, 'the workers were not all replaced'));
  });
  announce(settings, logger, workers.port);
}

async function startWorker(settings: Settings, logger: Logger): Promise<void> {
  const metrics = sharedMetrics(createMetrics());
  const tracing = await tracingFrom(process.env, logger);
  const serving = await serve(settings, logger, { isPrepared: true, tracing, metrics });
  let stopping: Promise<void> | undefined;
  const stop = (options: { isReplaced: boolean }) => {
    const stopped = serving.stop(options);
    stopping ??= stopped.then(metrics.report).finally(() => cluster.worker?.disconnect());
    return stopping;
  };
  // Ctrl+C on a terminal reaches every process, but the primary process stops the workers.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.on(signal, () => {});
  stopOnSignal(['SIGTERM'], () => stop({ isReplaced: false }), logger);
  onReplaced(() =>
    stop({ isReplaced: true })
      .catch((error: unknown) => logger.error({ err: error }, 'the stop failed'))
      .finally(endSoon),
  );
  await metrics.report();
  await reportStart({ port: serving.port });
}

/** A second signal of the same kind ends the process at once. */
function stopOnSignal(signals: readonly NodeJS.Signals[], stop: () => Promise<void>, logger: Logger): void {
  let isStopping = false;
  for (const signal of signals) {
    process.once(signal, () => {
      if (isStopping) return;
      isStopping = true;
      logger.info({ signal }, 'stopping: finishing the requests in progress');
      stop()
        .then(
          () => logger.info('stopped'),
          (error: unknown) => {
            logger.error({ err: error }, 'the stop failed');
            process.exitCode = 1;
          },
        )
        .finally(endSoon);
    });
  }
}

/** Ends the process, which would otherwise wait for a frozen database to close its end of each connection. */
function endSoon(): void {
  setTimeout(() => process.exit(), EXIT_DELAY).unref();
}

function announce(settings: Settings, logger: Logger, port: number): void {
  const { HOST, BASE_PATH, PUBLIC_URL, DATABASE_URL, DATA_DIR, WORKERS: workers } = settings;
  const host = HOST.includes(':') ? `[${HOST}]` : HOST;
  const base = `${PUBLIC_URL ?? `http://${host}:${port}`}${BASE_PATH}`;
  const database = DATABASE_URL === undefined ? `embedded, in ${DATA_DIR}` : 'the server of DATABASE_URL';
  if (!isTerminal) {
    logger.info({ base, graphql: `${base}/graphql`, openapi: `${base}/openapi.json`, database, workers }, 'started');
    return;
  }
  process.stdout.write(`
  Pet store      ${base}/
  GraphQL        ${base}/graphql
  REST           ${base}/pets  ${base}/reference
  Descriptions   ${base}/openapi.json  ${base}/schema.graphql
  Database       ${database}${workers > 1 ? `\n  Workers        ${workers}` : ''}

  Stop with Ctrl+C.

`);
}
