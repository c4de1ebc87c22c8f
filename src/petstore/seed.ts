import { sql } from 'drizzle-orm';
import type { Database } from '../engine/db/client.ts';
import { toParameter } from '../engine/db/driver.ts';

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
  const any = database.statement('seed.any', 'lookup', sql`select 1 from categories limit 1`, { one: Number });
  return (await any()).length === 0;
}

/**
 * Adds pets, and with the first ones the categories if there are none: a database has both, or is still empty. `onProgress`
 * gets the number so far after each chunk.
 */
export async function seed(database: Database, pets: number, onProgress: (done: number) => void): Promise<void> {
  const names = toParameter(NAMES.split(' '));
  const categories = [CATEGORIES.map(([name]) => name), CATEGORIES.map(([, description]) => description)].map(
    toParameter,
  );
  for (let done = 0; done < pets; ) {
    const last = Math.min(done + CHUNK, pets);
    // A statement for each table, so that the event of a pet comes before those of its stock and its orders.
    await database.transaction(async (query) => {
      await query(SEED_CATEGORIES, categories);
      const [[ids] = []] = await query(SEED_PETS, [done + 1, last, names]);
      await query(SEED_STOCK, [done, ids as string]);
      await query(SEED_ORDERS, [done, ids as string]);
    });
    done = last;
    onProgress(done);
  }
}

const SEED_CATEGORIES = `
  insert into categories (name, description) select * from unnest($1::text[], $2::text[])
  where not exists (select from categories)`;

/** Of ten pets, six have stock, two are sold out (one with an order still open) and two have no tracked stock. */
const SEED_PETS = `
  with kinds as (select array_agg(id order by id) as ids from (select id from categories order by id limit 12) as first),
  made as (
    insert into pets (name, category_id, status)
    select ($3::text[])[1 + (n * 37 + n / 131) % cardinality($3::text[])], ids[1 + (n * 7 + n / 12) % cardinality(ids)],
      (case n % 10 when 6 then 'pending' when 7 then 'sold' else 'available' end)::pet_status
    from kinds, generate_series($1::integer, $2) as n order by n
    returning id)
  select array_agg(id order by id)::text from made`;

/** The pets of a chunk, numbered on from those before it. */
const NUMBERED =
  '(select $1::integer + place as n, id from unnest($2::bigint[]) with ordinality as made(id, place)) as pet';

const SEED_STOCK = `
  insert into inventory (pet_id, quantity, open_orders)
  select id, case when n % 10 < 6 then 1 + n % 17 when n % 10 < 8 then 0 end, (n % 10 in (0, 6))::integer
  from ${NUMBERED} where n % 10 < 8`;

const SEED_ORDERS = `
  insert into orders (pet_id, quantity, ship_date, complete)
  select id, 1 + n % 3, case when n % 4 > 0 then date_trunc('day', now()) + make_interval(days => (n % 28)::integer, hours => 8) end,
    n % 10 = 7
  from ${NUMBERED} where n % 10 in (0, 6, 7)`;
