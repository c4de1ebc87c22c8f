import { openApiDocument } from '../engine/openapi/document.ts';
import type { Endpoint } from '../engine/rest/compile.ts';
import type { Route } from '../engine/rest/route.ts';
import { lifecycleExamples, lifecycleRoutes } from '../engine/usage/rest.ts';
import { categoryExamples, categoryRoutes } from './categories/rest.ts';
import { inventoryExamples, inventoryRoutes } from './inventory/rest.ts';
import { orderExamples, orderRoutes } from './orders/rest.ts';
import { petExamples, petRoutes } from './pets/rest.ts';

/** Every HTTP operation of the service. */
export const routes: readonly Route[] = [
  ...petRoutes,
  ...categoryRoutes,
  ...orderRoutes,
  ...inventoryRoutes,
  ...lifecycleRoutes,
];

/** The OpenAPI document of the routes' endpoints. */
export function describeRoutes(endpoints: readonly Endpoint[], basePath: string) {
  return openApiDocument(endpoints, {
    title: 'Pet store',
    version: '1.0.0',
    description:
      'Pets, the categories they belong to, orders for them, and the stock of each.\n\n' +
      'Errors are Error objects. Send `Accept: application/problem+json` to get problem details (RFC 9457) instead, as in ' +
      'the schema `Problem`.',
    basePath,
    tagGroups: {
      Pets: { Animals: 'The animals of the catalogue.', Categories: 'The groups that animals belong to.' },
      Store: { Orders: 'Orders for animals.', Inventory: 'The stock of animals.' },
      Service: { Lifecycle: 'What is experimental, beta or deprecated.' },
    },
    examples: {
      ...petExamples,
      ...categoryExamples,
      ...orderExamples,
      ...inventoryExamples,
      ...lifecycleExamples,
      Error: { code: 'NOT_FOUND', message: 'No pet has the id 12.', status: 404 },
      Problem: {
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'No pet has the id 12.',
        code: 'NOT_FOUND',
      },
    },
    plurals: {
      listPets: 'Pets',
      listCategories: 'Categories',
      listOrders: 'Orders',
      listInventory: 'InventoryItems',
      listLifecycle: 'LifecycleMarks',
    },
    // As the specification has it, although these always have a value.
    optional: { Pet: ['status'], Order: ['id', 'quantity', 'complete'] },
  });
}
