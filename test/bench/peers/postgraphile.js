// PostGraphile on node:http, with the schema that it generates from the database. It needs Node 22.
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { ADDRESS, announce, DATABASE_URL, POOL_SIZE } from './shared/process.js';

const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  // Keeps the database's names of the statuses.
  plugins: [
    {
      name: 'EnumValuesAsTheyArePlugin',
      version: '1.0.0',
      inflection: { replace: { enumValue: (_previous, _preset, value) => value } },
    },
  ],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ['public'], poolConfig: { max: POOL_SIZE } })],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
});

const server = createServer();
await pgl.createServ(grafserv).addTo(server);
server.listen(ADDRESS, () => announce(server));
