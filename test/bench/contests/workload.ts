import { type Random, seeded } from '../data/random.ts';
import { CATEGORIES, type DataSize } from '../data/size.ts';
import { type Audit, noOrderLostNorOversold, noPetLost } from './audits.ts';
import type { Dialect } from './dialect.ts';
import { get, type PlainRequest, patch, post } from './request.ts';

/** A running contestant, for a workload. */
interface Site {
  readonly base: string;
  readonly dialect: Dialect;
  readonly data: DataSize;
}

/** Requests that are sent over and over. */
export interface Workload {
  /** The same requests for every contestant, in its dialect. */
  requests(site: Site, count: number): Promise<readonly PlainRequest[]>;
  /** Requests of which only the statuses are compared, because each contestant has its own messages. */
  readonly rejections?: readonly PlainRequest[];
  /** What a request does, unless it only reads. Each response to one that creates a row has a new id. */
  readonly effect?: 'creates' | 'changes';
  /** Compares the database with the responses. */
  readonly audit?: Audit | undefined;
}

const PAGE = 20;
const UNKNOWN = 999_999_999_999;
const PET_NAMES = ['Rex', 'Bella', 'Milo', 'Luna', 'Otis', 'Hazel', 'Ziggy', 'Fern', 'Juno', 'Pip'];
const CREATE_PET = 'mutation createPet($pet: NewPet!) { createPet(pet: $pet) { id name categoryId status } }';
const SEED = 20_260_701;

export const getPet: Workload = {
  requests: async ({ data }, count) => times(count, (random) => get(`/pets/${random.integer(1, data.pets)}`)),
  rejections: [get(`/pets/${UNKNOWN}`), get('/pets/none')],
};

export const listOrders: Workload = {
  async requests({ base, dialect, data }, count) {
    const ids = times(count, (random) => random.integer(1, data.orders - PAGE));
    const cursors = await dialect.cursors(base, 'orders', ids);
    return cursors.map((cursor) => get(`/store/orders?limit=${PAGE}&after=${cursor}`));
  },
  rejections: [get('/store/orders?limit=none')],
};

export const createPet: Workload = {
  requests: async (_, count) => times(count, (random) => post('/pets', newPet(random))),
  rejections: [post('/pets', {}), post('/pets', { name: 'Rex', categoryId: UNKNOWN })],
  effect: 'creates',
  audit: noPetLost,
};

export const updatePet: Workload = {
  requests: async ({ data }, count) =>
    times(count, (random) => patch(`/pets/${random.integer(1, data.pets)}`, petChanges(random))),
  rejections: [
    patch(`/pets/${UNKNOWN}`, { name: 'Rex' }),
    patch('/pets/1', { status: 'none' }),
    patch('/pets/1', { categoryId: UNKNOWN }),
  ],
  effect: 'changes',
};

export const placeOrder: Workload = {
  requests: async ({ data }, count) => times(count, (random) => post('/store/orders', newOrder(random, data.pets))),
  rejections: [
    post('/store/orders', { petId: 1, quantity: 0 }),
    post('/store/orders', { petId: 1, quantity: 2_000_000_000 }),
    post('/store/orders', { petId: UNKNOWN, quantity: 1 }),
  ],
  effect: 'creates',
  audit: noOrderLostNorOversold,
};

export const graphqlPet: Workload = {
  requests: async ({ dialect, data }, count) => times(count, ({ integer }) => dialect.petById(integer(1, data.pets))),
};

export const graphqlPets: Workload = {
  async requests({ base, dialect, data }, count) {
    const ids = times(count, (random) => random.integer(1, data.pets - PAGE));
    return (await dialect.cursors(base, 'pets', ids)).map(dialect.petsAfter);
  },
};

export const graphqlCreatePet: Workload = {
  requests: async (_, count) =>
    times(count, (random) => post('/graphql', { query: CREATE_PET, variables: { pet: newPet(random) } })),
  effect: 'creates',
  audit: noPetLost,
};

function newPet(random: Random) {
  return { name: random.pick(PET_NAMES), categoryId: random.integer(1, CATEGORIES), status: 'available' };
}

function petChanges(random: Random) {
  return { name: random.pick(PET_NAMES), status: random.pick(['available', 'pending', 'sold']) };
}

function newOrder(random: Random, pets: number) {
  const shipDate = new Date(Date.UTC(2027, 0, random.integer(1, 365), 9, 30)).toISOString();
  return { petId: random.integer(1, pets), quantity: random.integer(1, 3), shipDate, complete: false };
}

function times<T>(count: number, make: (random: Random) => T): T[] {
  const random = seeded(SEED);
  return Array.from({ length: count }, () => make(random));
}
