import { readSettings } from '../process/settings.ts';
import { runCommand } from './command.ts';

/** For a health check: ends with 0 when the service that has these settings is ready, and with 1 otherwise. */
runCommand(async () => {
  const { HOST, PORT, BASE_PATH } = readSettings(process.env);
  const isEverywhere = HOST === '0.0.0.0' || HOST === '::';
  const host = isEverywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
  const { status } = await fetch(`http://${host}:${PORT}${BASE_PATH}/readyz`);
  if (status !== 200) throw new Error(`/readyz answers ${status}.`);
});
