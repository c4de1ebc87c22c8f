import { spawn } from 'node:child_process';
import { lockFolder } from '../db/lock.ts';
import { readSettings } from '../env.ts';
import { runCommand } from './command.ts';

/** Drizzle Studio opens the embedded database by itself, so its folder is held meanwhile as the service would hold it. */
runCommand(async () => {
  const { DATABASE_URL: url, DATA_DIR: folder } = readSettings(process.env);
  const unlock = url === undefined ? await lockFolder(folder) : undefined;
  process.on('SIGINT', () => {});
  const studio = spawn('drizzle-kit', ['studio'], { stdio: 'inherit' });
  await new Promise((resolve) => studio.once('exit', resolve));
  await unlock?.();
});
