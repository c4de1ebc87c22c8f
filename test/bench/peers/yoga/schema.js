import SchemaBuilder from '@pothos/core';
import { eq } from 'drizzle-orm';
import { decodeCursor } from '../shared/cursor.js';
import { Int64, toConnection } from '../shared/schema.js';
import { db, petStatus, petsAfter, pets as table } from './database.js';

const builder = new SchemaBuilder({});
builder.addScalarType('Int64', Int64);
const PetStatus = builder.enumType('PetStatus', { values: petStatus.enumValues });

const Category = builder.objectRef('Category').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'Int64' }), name: t.exposeString('name') }),
});

const InventoryItem = builder.objectRef('InventoryItem').implement({
  fields: (t) => ({ petId: t.expose('petId', { type: 'Int64' }), quantity: t.exposeInt('quantity') }),
});

const Pet = builder.objectRef('Pet').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'Int64' }),
    name: t.exposeString('name'),
    categoryId: t.expose('categoryId', { type: 'Int64' }),
    status: t.expose('status', { type: PetStatus }),
    category: t.field({
      type: Category,
      nullable: true,
      resolve: (pet, _, { categories }) => categories.load(pet.categoryId),
    }),
    inventory: t.field({
      type: InventoryItem,
      nullable: true,
      resolve: (pet, _, { inventory }) => inventory.load(pet.id),
    }),
  }),
});

const PageInfo = builder.objectRef('PageInfo').implement({
  fields: (t) => ({ endCursor: t.exposeString('endCursor', { nullable: true }) }),
});

const PetConnection = builder.objectRef('PetConnection').implement({
  fields: (t) => ({
    nodes: t.expose('nodes', { type: [Pet] }),
    pageInfo: t.expose('pageInfo', { type: PageInfo }),
  }),
});

const NewPet = builder.inputType('NewPet', {
  fields: (t) => ({
    name: t.string({ required: true }),
    categoryId: t.field({ type: 'Int64', required: true }),
    status: t.field({ type: PetStatus, defaultValue: 'available' }),
  }),
});

builder.queryType({
  fields: (t) => ({
    pet: t.field({
      type: Pet,
      nullable: true,
      args: { petId: t.arg({ type: 'Int64', required: true }) },
      resolve: async (_, { petId }) => {
        const [pet] = await db().select().from(table).where(eq(table.id, petId));
        return pet;
      },
    }),
    pets: t.field({
      type: PetConnection,
      args: { first: t.arg.int({ defaultValue: 20 }), after: t.arg.string() },
      resolve: async (_, { first, after }) => toConnection(await petsAfter(decodeCursor(after), first)),
    }),
  }),
});

builder.mutationType({
  fields: (t) => ({
    createPet: t.field({
      type: Pet,
      args: { pet: t.arg({ type: NewPet, required: true }) },
      resolve: async (_, { pet }) => {
        const [created] = await db().insert(table).values(pet).returning();
        return created;
      },
    }),
  }),
});

export const schema = builder.toSchema();
