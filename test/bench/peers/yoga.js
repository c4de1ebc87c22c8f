// Yoga on node:http with a Pothos schema, Drizzle's query builder and a DataLoader per request, with their defaults.
import { createServer } from 'node:http';
import DataLoader from 'dataloader';
import { createYoga } from 'graphql-yoga';
import { ADDRESS, announce } from './shared/process.js';
import { categoriesByIds, inventoryByPetIds } from './yoga/database.js';
import { schema } from './yoga/schema.js';

const yoga = createYoga({
  schema,
  context: () => ({
    categories: new DataLoader(categoriesByIds),
    inventory: new DataLoader(inventoryByPetIds),
  }),
});

const server = createServer(yoga);
server.listen(ADDRESS, () => announce(server));
