import { parseArgs } from 'node:util';
import { eventSourcesOf } from '../engine/application.ts';
import { migrateDatabase } from '../engine/db/migrate.ts';
import { installEvents } from '../engine/events/install.ts';
import { petStoreService } from '../petstore/service.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from './with-database.ts';

runCommand('npm run db:migrate', async () => {
  parseArgs();
  await withDatabase(async (database, { EVENTS }) => {
    const applied = await migrateDatabase(database, onWait);
    const defined = await installEvents(database, eventSourcesOf(petStoreService), EVENTS, onWait);
    process.stdout.write(
      applied + defined === 0
        ? 'The database is up to date.\n'
        : `${applied} migrations applied, ${defined} definitions of events changed.\n`,
    );
  });
});

function onWait(reason: string): void {
  process.stderr.write(`Waiting: ${reason}.\n`);
}
