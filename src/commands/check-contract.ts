import { parseArgs } from 'node:util';
import { checkContract } from '../contract/check.ts';
import { recentUses, type Use } from '../contract/uses.ts';
import { toDay } from '../engine/lifecycle/annotation.ts';
import { operatorMessage } from '../process/operator-message.ts';
import { readSettings } from '../process/settings.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from './with-database.ts';

runCommand('npm run check:contract -- [--base REVISION]', async () => {
  const { values } = parseArgs({ options: { base: { type: 'string' } } });
  const { LIFECYCLE_CLOCK: clock = new Date(), DATABASE_URL: url } = readSettings(process.env);
  const today = toDay(clock);
  const { isKept, report } = await checkContract({
    folder: process.cwd(),
    base: values.base,
    today,
    usesOf: async (coordinates) => (url === undefined ? [] : usesOf(coordinates, today)),
  });
  process.stdout.write(`${report}\n`);
  if (!isKept) process.exitCode = 1;
});

/** The recent uses. They don't change the verdict, so a database that is down is only a warning. */
async function usesOf(coordinates: readonly string[], today: string): Promise<readonly Use[]> {
  try {
    return await withDatabase((database) => recentUses(database, coordinates, today));
  } catch (error) {
    process.stderr.write(`Recent uses are not known: ${operatorMessage(error).replaceAll('\n', ' ')}\n`);
    return [];
  }
}
