/*
 * For a container health check: exits with 0 if the service with these settings is ready, otherwise with 1. It runs every
 * few seconds, so it loads no other module: those that check the settings take ten times as long as the request.
 */

/** In milliseconds: longer than `/readyz` waits for the database. */
const TIMEOUT = 5_000;
const host = process.env.HOST || '127.0.0.1';
const isEverywhere = host === '0.0.0.0' || host === '::';
const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

const url = `http://${name}:${process.env.PORT || 4000}${process.env.BASE_PATH ?? ''}/readyz`;

try {
  const { status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
  if (status !== 200) throw new Error(`the status is ${status}.`);
} catch (error) {
  const { message, cause } = error as Error;
  process.stderr.write(`${url}: ${cause instanceof Error ? cause.message : message}\n`);
  process.exitCode = 1;
}

export {};
