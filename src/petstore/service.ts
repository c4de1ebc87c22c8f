import type { Application } from '../engine/index.ts';
import { categoryEvents } from './categories/graphql.ts';
import { categoryResource } from './categories/rest.ts';
import { inventoryEvents } from './inventory/graphql.ts';
import { inventoryResource } from './inventory/rest.ts';
import { orderEvents } from './orders/graphql.ts';
import { orderResource } from './orders/rest.ts';
import { petEvents } from './pets/graphql.ts';
import { petResource } from './pets/rest.ts';
import { playground } from './playground.ts';
import { buildSchema } from './schema.ts';

export const petStoreService: Application = {
  title: 'Pet store',
  name: 'pet-store',
  schema: buildSchema([orderEvents, inventoryEvents, petEvents, categoryEvents]),
  resources: [petResource, categoryResource, orderResource, inventoryResource],
  openApi: {
    version: '1.0.0',
    description:
      'Pets, the categories they belong to, orders for them, and the stock of each.\n\n' +
      'Errors are Error objects. Send `Accept: application/problem+json` to get problem details (RFC 9457) instead, as in ' +
      'the schema `Problem`.',
    examples: {
      LifecycleMark: {
        coordinate: 'Query.pet',
        operation: 'GET /pets/{petId}',
        level: 'deprecated',
        stability: 'stable',
        since: '2026-07-01',
        sunset: '2027-12-31',
        daysLeft: 405,
        successor: 'Query.pets',
        successorOperation: 'GET /pets?id={petId}',
        why: 'Lists take many ids at once and answer in one shape.',
        uses: 1204,
        clients: 3,
        lastUsedAt: '2026-11-21T09:30:00.000Z',
        countedSince: '2026-07-01T00:00:00.000Z',
        verdict: '3 clients left',
      },
      EventType: 'order.placed',
      Event: {
        specversion: '1.0',
        id: '1.204',
        source: '/pet-store',
        type: 'order.placed',
        subject: 'orders/7',
        time: '2026-11-21T09:30:00.000Z',
        datacontenttype: 'application/json',
        data: { id: 7, petId: 12, quantity: 1, shipDate: '2026-12-01T09:30:00.000Z', complete: false },
      },
      Problem: {
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'No pet has the id 12.',
        code: 'NOT_FOUND',
      },
    },
    headerExamples: {
      'WWW-Authenticate': 'Bearer realm="pet-store", scope="orders:write"',
      Location: 'https://pets.example/pets/12',
      Link: '<https://pets.example/pets?after=WyJwZXRzLmlkIiwiMjAiXQ>; rel="next"',
      Warning:
        '299 - "GET /pets/{petId} is deprecated since 2026-07-01 and served until 2027-12-31; use GET /pets?id={petId} instead"',
    },
  },
  home: {
    about:
      'Pets, the categories they belong to, orders for them and the stock of each: one model, served to GraphQL and REST ' +
      'clients alike.',
    look: { target: '/pets?limit=5', about: 'The first five pets, as JSON.' },
    rest: '/pets?limit=2',
    graphql: '{ pets(first: 2) { nodes { name category { name } } } }',
  },
  playground,
};
