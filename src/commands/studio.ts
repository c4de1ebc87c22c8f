import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { lockFolder } from '../engine/db/lock.ts';
import { readSettings } from '../process/settings.ts';
import { runCommand } from './run-command.ts';

/** Drizzle Studio opens the embedded database itself, so this command locks its folder as the service does. */
runCommand('npm run db:studio', async () => {
  const { DATABASE_URL: url, DATA_DIR: folder } = readSettings(process.env);
  if (url === undefined) await mkdir(folder, { recursive: true });
  const unlock = url === undefined ? await lockFolder(folder) : undefined;
  process.on('SIGINT', () => {});
  try {
    const [code] = await once(spawn('drizzle-kit', ['studio'], { stdio: 'inherit' }), 'exit');
    process.exitCode = code ?? 1;
  } finally {
    await unlock?.();
  }
});
