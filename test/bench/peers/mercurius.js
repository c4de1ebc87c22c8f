// Mercurius with its JIT and its loaders, on Fastify, over postgres.js with prepared statements.
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { categoriesByIds, createPet, inventoryByPetIds, petById, petsAfter } from './shared/pets.js';
import { ADDRESS, announce } from './shared/process.js';
import { Int64, toConnection, typeDefs } from './shared/schema.js';

const resolvers = {
  Int64,
  Query: {
    pet: (_, { petId }) => petById(petId),
    pets: async (_, page) => toConnection(await petsAfter(page)),
  },
  Mutation: { createPet: (_, { pet }) => createPet(pet) },
};

/** Without its cache, which would serialize each pet to make a key. */
const loaders = {
  Pet: {
    category: {
      loader: (queries) => categoriesByIds(queries.map(({ obj }) => obj.categoryId)),
      opts: { cache: false },
    },
    inventory: {
      loader: (queries) => inventoryByPetIds(queries.map(({ obj }) => obj.id)),
      opts: { cache: false },
    },
  },
};

const app = Fastify();
app.register(mercurius, { schema: typeDefs, resolvers, loaders, jit: 1 });
await app.listen(ADDRESS);
announce(app.server);
