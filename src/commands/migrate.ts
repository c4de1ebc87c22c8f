import { migrateDatabase } from '../engine/db/migrate.ts';
import { runCommand, withDatabase } from './command.ts';

runCommand(() =>
  withDatabase(async (database) => {
    const applied = await migrateDatabase(database);
    process.stdout.write(applied === 0 ? 'The database is up to date.\n' : `${applied} migrations applied.\n`);
  }),
);
