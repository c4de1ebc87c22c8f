import type { Logger } from 'pino';

const PAUSE = 60_000;

/** Logs each failure of background work at most once a minute: without a database, it is tried each second. */
export function failureLog(
  logger: Pick<Logger, 'warn'>,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
): (error: unknown) => void {
  const logged = new Map<string, number>();
  return (error) => {
    const now = performance.now();
    for (const [text, time] of logged) if (now - time >= PAUSE) logged.delete(text);
    const text = textOf(error);
    if (logged.has(text)) return;
    logged.set(text, now);
    logger.warn({ ...fields, err: error }, message);
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${textOf(error.cause)}` : String(error);
}
