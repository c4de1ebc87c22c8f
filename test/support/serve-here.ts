import { pino } from 'pino';
import { petStoreService } from '../../src/petstore/service.ts';
import { createMetrics } from '../../src/process/metrics.ts';
import { type Program, serve } from '../../src/process/serve.ts';
import { readSettings } from '../../src/process/settings.ts';

type Here = Awaited<ReturnType<typeof serve>> & { readonly base: string; output(): string };

/** Starts the service in this process, on a free port of this machine; `output` gives its log so far. */
export async function serveHere(
  settings: Readonly<Record<string, string>>,
  program: Program = { application: petStoreService },
): Promise<Here> {
  const lines: string[] = [];
  const read = readSettings({ PORT: '0', ...settings });
  const logger = pino({ level: read.LOG_LEVEL }, { write: (line: string) => lines.push(line) });
  const options = { isPrepared: false, tracing: undefined, metrics: createMetrics() };
  const serving = await serve(program, read, logger, options);
  return { ...serving, base: `http://127.0.0.1:${serving.port}`, output: () => lines.join('') };
}

/** Serves in this process for the work: it starts in a part of the time of a process of its own. */
export async function withServiceHere(
  settings: Readonly<Record<string, string>>,
  work: (service: Here) => Promise<void>,
): Promise<void> {
  const service = await serveHere(settings);
  await work(service).finally(() => service.stop({ isReplaced: false }));
}
