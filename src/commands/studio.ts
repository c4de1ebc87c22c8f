import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lockFolder } from '../engine/db/lock.ts';
import { readSettings } from '../process/settings.ts';
import { runCommand } from './run-command.ts';
import { assertExists } from './with-database.ts';

/** Drizzle Studio opens the embedded database itself, so this command locks its folder as the service does. */
runCommand('npm run db:studio', async () => {
  const settings = readSettings(process.env);
  assertExists(settings);
  const { DATABASE_URL: url, DATA_DIR: folder } = settings;
  const unlock = url === undefined ? await lockFolder(folder) : undefined;
  process.on('SIGINT', () => {});
  try {
    const [code] = await once(spawn('drizzle-kit', ['studio'], { stdio: 'inherit' }), 'exit');
    process.exitCode = code ?? 1;
  } finally {
    await unlock?.();
  }
});
