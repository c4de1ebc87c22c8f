import { gt, inArray } from 'drizzle-orm';
import { bigint, integer, pgEnum, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { DATABASE_URL, POOL_SIZE } from '../shared/process.js';

export const petStatus = pgEnum('pet_status', ['available', 'pending', 'sold']);

const categories = pgTable('categories', {
  id: bigint({ mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  name: text().notNull(),
  description: text(),
});

export const pets = pgTable('pets', {
  id: bigint({ mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  name: text().notNull(),
  categoryId: bigint('category_id', { mode: 'number' }).notNull(),
  status: petStatus().notNull().default('available'),
});

const inventory = pgTable('inventory', {
  petId: bigint('pet_id', { mode: 'number' }).primaryKey(),
  quantity: integer(),
});

/** Clients of one connection each, because one with several slows down with each statement (postgres.js 3.4.9). */
const members = Array.from({ length: POOL_SIZE }, () => drizzle({ client: postgres(DATABASE_URL, { max: 1 }) }));
let turn = 0;

/** The database, on the next connection. */
export function db() {
  turn = (turn + 1) % members.length;
  return members[turn];
}

/** The first pets after the id, by id. */
export function petsAfter(id, first) {
  return db().select().from(pets).where(gt(pets.id, id)).orderBy(pets.id).limit(first);
}

/** The categories in the order of the ids; undefined for a missing one. */
export async function categoriesByIds(ids) {
  const rows = await db().select().from(categories).where(inArray(categories.id, ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

/** The stock of the pets in the order of their ids; undefined for an untracked pet. */
export async function inventoryByPetIds(petIds) {
  const rows = await db().select().from(inventory).where(inArray(inventory.petId, petIds));
  const byPet = new Map(rows.filter(({ quantity }) => quantity !== null).map((row) => [row.petId, row]));
  return petIds.map((petId) => byPet.get(petId));
}
