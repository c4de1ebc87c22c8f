import { sql } from 'drizzle-orm';
import type { Database } from '../engine/db/client.ts';
import { toParameter } from '../engine/db/driver.ts';
import { integer } from '../engine/db/row.ts';

/** The number of pets that one statement inserts. */
export const CHUNK = 5_000;

const CATEGORIES: readonly (readonly [name: string, description: string])[] = [
  ['Dogs', 'Companions of every size, from lap to sledge.'],
  ['Cats', 'Independent, and better at it than most.'],
  ['Rabbits', 'Quiet diggers with strong opinions on carrots.'],
  ['Guinea pigs', 'Sociable whistlers that come in pairs.'],
  ['Hamsters', 'Small, nocturnal, and always on the move.'],
  ['Parrots', 'Bright talkers for patient listeners.'],
  ['Canaries', 'Singers for a sunny room.'],
  ['Goldfish', 'The classic, for a tank rather than a bowl.'],
  ['Tropical fish', 'Colour for warm water.'],
  ['Tortoises', 'A pet to leave to your grandchildren.'],
  ['Geckos', 'Wall walkers that eat what bothers you.'],
  ['Ponies', 'For those with a meadow.'],
];

const NAMES =
  'Ada Alba Archie Bailey Bandit Basil Bear Bella Benji Biscuit Blue Bonnie Bramble Bruno Buddy Charlie Chester Cleo ' +
  'Clover Coco Cookie Cosmo Daisy Dexter Dora Echo Ella Fern Finn Flora Frankie Freya George Ginger Gizmo Gracie Hazel ' +
  'Henry Honey Hugo Indie Iris Ivy Jasper Jess Juno Kiki Kira Lady Leo Lola Loki Lottie Louie Lucky Lulu Luna Mabel ' +
  'Maggie Marley Max Maya Merlin Mia Millie Milo Minnie Misty Molly Monty Moose Nala Nelly Nico Nina Nova Olive Ollie ' +
  'Oreo Oscar Otis Pablo Peanut Pearl Penny Pepper Percy Pickle Pip Pippa Poppy Quincy Rex Riley Rocky Romeo Rosie Roxy ' +
  'Ruby Rufus Sadie Sally Sammy Sasha Scout Shadow Simba Skye Smokey Snowy Socks Sophie Stella Sunny Tango Teddy Theo ' +
  'Tilly Toby Toffee Tux Violet Waffles Walter Willow Winnie Winston Ziggy Zoe';

/** Whether the database has no category, and so no pet. */
export async function isEmpty(database: Database): Promise<boolean> {
  const any = database.statement('seed.any', 'lookup', sql`select 1 from categories limit 1`, { one: integer });
  return (await any()).length === 0;
}

/**
 * Adds pets with realistic names, and the categories if there are none; most pets have stock, and some have orders, as
 * the rules of orders and stock require.
 *
 * @param pets the number of pets
 * @param onProgress called with the number of pets so far, after each chunk of a few thousand
 */
export async function seed(database: Database, pets: number, onProgress: (done: number) => void): Promise<void> {
  await database.transaction(async (query) => {
    await query(
      `insert into categories (name, description) select * from unnest($1::text[], $2::text[])
        where not exists (select from categories)`,
      [CATEGORIES.map(([name]) => name), CATEGORIES.map(([, description]) => description)].map(toParameter),
    );
  });
  const names = toParameter(NAMES.split(' '));
  for (let done = 0; done < pets; ) {
    const last = Math.min(done + CHUNK, pets);
    await database.transaction((query) => query(SEED_CHUNK, [done + 1, last, names]));
    done = last;
    onProgress(done);
  }
}

/**
 * Of ten pets, six have stock, two are sold out (one with an order still open) and two have no tracked stock. The ids
 * are reserved beforehand, so that one statement can insert the pets with their stock and orders.
 */
const SEED_CHUNK = `
  with kinds as (select array_agg(id order by id) as ids from (select id from categories order by id limit 12) as first),
  numbers as materialized (
    select n, n % 10 as kind, nextval(pg_get_serial_sequence('pets', 'id')) as id from generate_series($1::integer, $2) as n),
  made as (
    insert into pets (id, name, category_id, status)
    select id, ($3::text[])[1 + (n * 37 + n / 131) % cardinality($3::text[])], ids[1 + (n * 7 + n / 12) % cardinality(ids)],
      (case kind when 6 then 'pending' when 7 then 'sold' else 'available' end)::pet_status
    from numbers, kinds),
  counted as (
    insert into inventory (pet_id, quantity, open_orders)
    select id, case when kind < 6 then 1 + n % 17 when kind < 8 then 0 end, (kind in (0, 6))::integer
    from numbers where kind < 8)
  insert into orders (pet_id, quantity, ship_date, complete)
  select id, 1 + n % 3, case when n % 4 > 0 then date_trunc('day', now()) + make_interval(days => n % 28, hours => 8) end, kind = 7
  from numbers where kind in (0, 6, 7)`;
