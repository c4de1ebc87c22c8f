import { CREATE, GET, GRAPHQL_CREATE, GRAPHQL_GET, GRAPHQL_LIST, LIST, ORDER, UPDATE } from './contests/names.ts';

/** By contest, the minimum ratio of the service's requests per second to each peer's. */
export const TARGETS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  [GET]: { Fastify: 2, 'node:http': 0.5 },
  [LIST]: { Fastify: 1.3 },
  [CREATE]: { Fastify: 2 },
  [UPDATE]: { Fastify: 1.3 },
  [ORDER]: { Fastify: 2 },
  [GRAPHQL_GET]: { Mercurius: 2, Yoga: 3, Apollo: 4 },
  [GRAPHQL_LIST]: { Mercurius: 2, Yoga: 3, PostGraphile: 4, Apollo: 4 },
  [GRAPHQL_CREATE]: { Mercurius: 1.5 },
};

/** The minimum ratio of the service's reads per second on the large database to those on the small one. */
export const GROWTH_TARGET = 0.9;

/** In seconds, from the start of the process to the first response. */
export const START_TARGETS = { server: 1, embedded: 2 };

/** The share of a committed ratio that `--check` requires: less than the noise of a machine explains. */
export const CHECK_SHARE = 0.7;

/** After a soak test, in mebibytes: the maximum memory of the service, and its maximum growth since the first fifth. */
export const MAX_MEMORY = 200;
export const MAX_GROWTH = 0.05;
