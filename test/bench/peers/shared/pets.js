import { decodeCursor } from './cursor.js';
import { sql } from './database.js';

/** The pet; undefined if there is none. */
export async function petById(id) {
  const [pet] = await sql`select id, name, category_id as "categoryId", status from pets where id = ${id}`;
  return pet;
}

/** The existing pets of the ids, in any order. A list as text is faster to send than an array. */
export function petsByIds(ids) {
  return sql`select id, name, category_id as "categoryId", status from pets
    where id = any(string_to_array(${ids.join()}, ',')::bigint[])`;
}

/** The first pets after the cursor, by id. */
export function petsAfter({ first = 20, after }) {
  return sql`select id, name, category_id as "categoryId", status from pets
    where id > ${decodeCursor(after)} order by id limit ${first}`;
}

/** Rejects with a violated foreign key if the category does not exist. */
export async function createPet({ name, categoryId, status = 'available' }) {
  const [pet] = await sql`insert into pets (name, category_id, status) values (${name}, ${categoryId}, ${status})
    returning id, name, category_id as "categoryId", status`;
  return pet;
}

/**
 * The changed pet; undefined if there is none. Omitted fields keep their values.
 * Rejects with a violated foreign key if the category does not exist.
 */
export async function updatePet(id, { name = null, categoryId = null, status = null }) {
  const [pet] = await sql`update pets set name = coalesce(${name}, name),
      category_id = coalesce(${categoryId}, category_id), status = coalesce(${status}, status)
    where id = ${id} returning id, name, category_id as "categoryId", status`;
  return pet;
}

/** The categories in the order of the ids; null for a missing one. */
export async function categoriesByIds(ids) {
  const rows = await sql`select id, name, description from categories where id = any(${[...new Set(ids)]})`;
  return inOrder(ids, rows, 'id');
}

/** The stock of the pets in the order of their ids; null for an untracked pet. */
export async function inventoryByPetIds(petIds) {
  const rows = await sql`select pet_id as "petId", quantity from inventory
    where pet_id = any(${[...new Set(petIds)]}) and quantity is not null`;
  return inOrder(petIds, rows, 'petId');
}

function inOrder(keys, rows, column) {
  const byKey = new Map(rows.map((row) => [row[column], row]));
  return keys.map((key) => byKey.get(key) ?? null);
}
