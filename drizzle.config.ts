import { defineConfig } from 'drizzle-kit';
import { readSettings } from './src/process/settings.ts';

const { DATABASE_URL: url, DATA_DIR: folder } = readSettings(process.env);

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/*/*/table.ts',
  out: './drizzle',
  ...(url === undefined
    ? { driver: 'pglite', dbCredentials: { url: `${folder}/pgdata` } }
    : { dbCredentials: { url } }),
});
