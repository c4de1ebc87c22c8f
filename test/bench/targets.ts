import { CREATE, GET, GRAPHQL_CREATE, GRAPHQL_GET, GRAPHQL_LIST, LIST, ORDER } from './contests/names.ts';

/** By contest, the least ratio of the service's requests per second to each peer's. */
export const TARGETS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  [GET]: { Fastify: 2, 'node:http': 0.5 },
  [LIST]: { Fastify: 1.3 },
  [CREATE]: { Fastify: 2 },
  [ORDER]: { Fastify: 2 },
  [GRAPHQL_GET]: { Mercurius: 2, Yoga: 3, Apollo: 4 },
  [GRAPHQL_LIST]: { Mercurius: 2, Yoga: 3, PostGraphile: 4, Apollo: 4 },
  [GRAPHQL_CREATE]: { Mercurius: 1.5 },
};

/** The least ratio of the service's reads per second on the large database to those on the small one. */
export const GROWTH_TARGET = 0.9;

/** In seconds: from the start of the process to the first answer. */
export const START_TARGETS = { server: 1, embedded: 2 };

/** What of a committed ratio has to be left for `--check` to pass: less than a noisy machine explains. */
export const CHECK_SHARE = 0.7;

/** The most memory that the service has after a soak, in mebibytes; and its growth since the first fifth of it. */
export const MAX_MEMORY = 200;
export const MAX_GROWTH = 0.05;
