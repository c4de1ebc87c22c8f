import './heap.ts';
import cluster from 'node:cluster';
import { type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { createMetrics } from './metrics.ts';
import { operatorMessage } from './operator-message.ts';
import { type Program, prepare, serve } from './serve.ts';
import { misspeltSettings, readSettings, type Settings, SettingsError } from './settings.ts';
import { tracingFrom } from './tracing/tracing.ts';
import { sharedMetrics } from './workers/metrics.ts';
import { onReplaced, reportStart, startWorkers } from './workers/start.ts';

/** The time for pending writes after everything has stopped, in milliseconds. */
const EXIT_DELAY = 250;

const isTerminal = process.stdout.isTTY;

/**
 * Serves the application with the settings of the environment, until a signal stops it: the whole of a program's main
 * file. With `WORKERS`, the processes that it starts run that file too.
 */
export function run(served: Program): void {
  start(served).catch((error: unknown) => {
    const message = operatorMessage(error);
    if (cluster.isWorker) return reportStart({ failure: message }).then(() => process.exit(1));
    process.stderr.write(
      error instanceof SettingsError ? `The settings cannot be used:\n${message}\n` : `${message}\n`,
    );
    process.exitCode = 1;
  });
}

async function start(served: Program): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined)
    throw new Error(
      `The service takes no arguments, and was given ${argument}. Settings are environment variables, as in PORT=4001; docs/operating.md lists them.`,
    );
  const settings = readSettings(process.env);
  const logger = pino(
    { level: settings.LOG_LEVEL },
    isTerminal ? PinoPretty({ sync: true, ignore: 'pid,hostname' }) : process.stdout,
  );
  // A line that cannot be written, as on a full disk, is lost. pino's own output would try again and again, and block.
  process.stdout.on('error', () => {});
  if (cluster.isWorker) return startWorker(served, settings, logger);
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, endStart);
  for (const misspelt of misspeltSettings(process.env)) logger.warn(misspelt);
  if (settings.WORKERS > 1) await startAll(served, settings, logger);
  else await startAlone(served, settings, logger);
}

async function startAlone(served: Program, settings: Settings, logger: Logger): Promise<void> {
  const tracing = await tracingFrom(served.application.name, process.env, logger);
  const serving = await serve(served, settings, logger, { isPrepared: false, tracing, metrics: createMetrics() });
  stopOnSignal(['SIGTERM', 'SIGINT', 'SIGHUP'], () => serving.stop({ isReplaced: false }), logger);
  announce(served, settings, logger, serving.port);
}

async function startAll(served: Program, settings: Settings, logger: Logger): Promise<void> {
  const starting = prepare(served, settings, logger).then(() => startWorkers(settings.WORKERS, logger));
  // Also during the start: without a handler, the signal would end this process.
  process.on('SIGHUP', () => {
    starting
      .then(({ replace }) => replace())
      .catch((error: unknown) => logger.error({ err: error }, 'the workers were not all replaced'));
  });
  const workers = await starting;
  stopOnSignal(['SIGTERM', 'SIGINT'], () => workers.stop(), logger);
  announce(served, settings, logger, workers.port);
}

async function startWorker(served: Program, settings: Settings, logger: Logger): Promise<void> {
  const metrics = sharedMetrics(createMetrics());
  const tracing = await tracingFrom(served.application.name, process.env, logger);
  const serving = await serve(served, settings, logger, { isPrepared: true, tracing, metrics });
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

/** The system ignores a signal without a handler if the process is the first of a container. */
function endStart(): void {
  // Workers that begin would print that their first message is lost.
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
  process.exit();
}

/** A second signal of the same kind ends the process at once, but no worker and not the first process of a container. */
function stopOnSignal(signals: readonly NodeJS.Signals[], stop: () => Promise<void>, logger: Logger): void {
  let isStopping = false;
  for (const signal of signals) {
    process.off(signal, endStart).once(signal, () => {
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

function announce({ application: { title, home } }: Program, settings: Settings, logger: Logger, port: number): void {
  const { HOST, BASE_PATH, PUBLIC_URL, DATABASE_URL, DATA_DIR, INTROSPECTION, WORKERS: workers } = settings;
  const host = HOST.includes(':') ? `[${HOST}]` : HOST;
  const base = `${PUBLIC_URL ?? `http://${host}:${port}`}${BASE_PATH}`;
  const database = DATABASE_URL === undefined ? `embedded, in ${DATA_DIR}` : 'the server of DATABASE_URL';
  if (!isTerminal) {
    logger.info({ base, graphql: `${base}/graphql`, openapi: `${base}/openapi.json`, database, workers }, 'started');
    return;
  }
  process.stdout.write(`
  ${title.padEnd(14)} ${base}/
  GraphQL        ${base}/graphql
  REST           ${base}${home.look.target}  ${base}/reference
  Descriptions   ${base}/openapi.json${INTROSPECTION === 'on' ? `  ${base}/schema.graphql` : ''}
  Database       ${database}${workers > 1 ? `\n  Workers        ${workers}` : ''}

  Stop with Ctrl+C.

`);
}
