import { parseArgs } from 'node:util';
import { CHUNK, seed } from '../petstore/seed.ts';
import { prepareTables } from '../process/prepare-database.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from './with-database.ts';

const MAX_PETS = 10_000_000;
const BAR_WIDTH = 30;

runCommand('npm run db:seed -- [--pets NUMBER]', async () => {
  const { values } = parseArgs({ options: { pets: { type: 'string', default: '200' } } });
  const pets = Number(values.pets);
  if (!/^\d+$/.test(values.pets) || pets < 1 || pets > MAX_PETS) {
    throw new Error(`--pets must be a whole number from 1 to ${MAX_PETS}, not ${values.pets}.`);
  }
  await withDatabase(async (database, settings) => {
    await prepareTables(database, settings);
    const start = performance.now();
    await seed(database, pets, (done) => showProgress(done, pets, (performance.now() - start) / 1000));
    process.stdout.write('\n');
  });
});

/** On a terminal one line that is overwritten, elsewhere a line for each tenth. */
function showProgress(done: number, all: number, seconds: number): void {
  const filled = Math.round((done / all) * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const rate = Math.round(done / seconds).toLocaleString('en');
  const line = `${bar} ${done.toLocaleString('en')} of ${all.toLocaleString('en')} pets, ${rate}/s`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}`);
  else if (done === all || Math.floor((done * 10) / all) > Math.floor(((done - CHUNK) * 10) / all))
    process.stdout.write(`${line}\n`);
}
