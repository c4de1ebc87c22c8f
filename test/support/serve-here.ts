import { pino } from 'pino';
import { petStoreService } from '../../src/petstore/service.ts';
import { createMetrics } from '../../src/process/metrics.ts';
import { type Program, serve } from '../../src/process/serve.ts';
import { readSettings } from '../../src/process/settings.ts';

/** Starts the service in this process, on a free port of this machine; `output` gives its log so far. */
export async function serveHere(
  settings: Readonly<Record<string, string>>,
  program: Program = { application: petStoreService },
) {
  const lines: string[] = [];
  const serving = await serve(
    program,
    readSettings({ PORT: '0', ...settings }),
    pino({}, { write: (line: string) => lines.push(line) }),
    { isPrepared: false, tracing: undefined, metrics: createMetrics() },
  );
  return { ...serving, base: `http://127.0.0.1:${serving.port}`, output: () => lines.join('') };
}
