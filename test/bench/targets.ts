/** By contest, the least ratio of the service's requests per second to each peer's. */
export const TARGETS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'REST get pet': { Fastify: 2, 'node:http': 0.5 },
  'REST list 20 orders': { Fastify: 1.3 },
  'REST create pet': { Fastify: 2 },
  'REST place order': { Fastify: 2 },
  'GraphQL pet by id': { Mercurius: 2, Yoga: 3, Apollo: 4 },
  'GraphQL 20 pets with category and stock': { Mercurius: 2, Yoga: 3, PostGraphile: 4, Apollo: 4 },
  'GraphQL create pet': { Mercurius: 1.5 },
};

/** The least ratio of the service's reads per second on the large database to those on the small one. */
export const GROWTH_TARGET = 0.9;

/** In seconds: from the start of the process to the first answer. */
export const START_TARGETS = { server: 1, embedded: 2 };

/** What of a committed ratio has to be left for `--check` to pass: less than a noisy machine explains. */
export const CHECK_SHARE = 0.8;

/** The most memory that the service has after a soak, in mebibytes; and its growth since the first fifth of it. */
export const MOST_MEMORY = 200;
export const MOST_GROWTH = 0.05;
