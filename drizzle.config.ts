import { defineConfig } from 'drizzle-kit';
import { readSettings } from './src/env.ts';

const { DATABASE_URL: url, DATA_DIR: folder } = readSettings(process.env);

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/{auth,idempotency,limits,resources/*}/table.ts',
  out: './drizzle',
  ...(url === undefined
    ? { driver: 'pglite', dbCredentials: { url: `${folder}/pgdata` } }
    : { dbCredentials: { url } }),
});
