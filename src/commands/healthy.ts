import { readSettings } from '../process/settings.ts';
import { runCommand } from './command.ts';

/** For a container health check: exits with 0 if the service with these settings is ready, otherwise with 1. */
runCommand(async () => {
  const { HOST, PORT, BASE_PATH } = readSettings(process.env);
  const isEverywhere = HOST === '0.0.0.0' || HOST === '::';
  const host = isEverywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
  const { status } = await fetch(`http://${host}:${PORT}${BASE_PATH}/readyz`);
  if (status !== 200) throw new Error(`/readyz returned the status ${status}.`);
});
