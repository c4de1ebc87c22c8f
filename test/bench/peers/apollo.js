// Apollo Server on Fastify with a DataLoader for each request, over postgres.js with prepared statements.
import { ApolloServer } from '@apollo/server';
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import DataLoader from 'dataloader';
import Fastify from 'fastify';
import { categoriesByIds, createPet, inventoryByPetIds, petById, petsAfter } from './shared/pets.js';
import { ADDRESS, announce } from './shared/process.js';
import { Int64, toConnection, typeDefs } from './shared/schema.js';

const resolvers = {
  Int64,
  Pet: {
    category: (pet, _, { categories }) => categories.load(pet.categoryId),
    inventory: (pet, _, { inventory }) => inventory.load(pet.id),
  },
  Query: {
    pet: (_, { petId }) => petById(petId),
    pets: async (_, page) => toConnection(await petsAfter(page)),
  },
  Mutation: { createPet: (_, { pet }) => createPet(pet) },
};

const app = Fastify();
const apollo = new ApolloServer({ typeDefs, resolvers, plugins: [fastifyApolloDrainPlugin(app)] });
await apollo.start();
await app.register(fastifyApollo(apollo), {
  context: async () => ({
    categories: new DataLoader(categoriesByIds),
    inventory: new DataLoader(inventoryByPetIds),
  }),
});
await app.listen(ADDRESS);
announce(app.server);
