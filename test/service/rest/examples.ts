import type { TestApp } from '../../support/app.ts';
import { openApi } from '../../support/contract.ts';

/** An operation, with a request that succeeds on the rows of `makeRows`. */
interface Example {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
  readonly stability?: 'experimental' | 'beta' | 'deprecated';
}

/** The ids of the rows. */
interface Rows {
  readonly petId: number;
  readonly uncounted: number;
  readonly categoryId: number;
  readonly empty: number;
  readonly orderId: number;
  readonly webhookId: number;
}

/** Creates the rows that the examples need. */
export async function makeRows(app: TestApp): Promise<Rows> {
  const create = async (path: string, body: object): Promise<number> =>
    (await app.rest('POST', path, { body })).body.id;
  const categoryId = await create('/categories', { name: 'Dogs' });
  const petId = await create('/pets', { name: 'Rex', categoryId });
  await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 5 } });
  return {
    petId,
    uncounted: await create('/pets', { name: 'Bello', categoryId }),
    categoryId,
    empty: await create('/categories', { name: 'Cats' }),
    orderId: await create('/store/orders', { petId }),
    webhookId: await create('/webhooks', { url: 'https://shop.example/hooks' }),
  };
}

/** Every operation of the service, in an order in which each finds the rows that it needs. */
export function examples({ petId, uncounted, categoryId, empty, orderId, webhookId }: Rows): Example[] {
  const pet = { name: 'Rex', categoryId };
  const [pets, categories, orders, inventory] = ['/pets', '/categories', '/store/orders', '/store/inventory'];
  return [
    { operationId: 'listPets', method: 'GET', path: pets, status: 200 },
    { operationId: 'createPet', method: 'POST', path: pets, status: 201, body: pet },
    { operationId: 'getPet', method: 'GET', path: `${pets}/${petId}`, status: 200, stability: 'deprecated' },
    { operationId: 'replacePet', method: 'PUT', path: `${pets}/${petId}`, status: 200, body: pet },
    { operationId: 'updatePet', method: 'PATCH', path: `${pets}/${petId}`, status: 200, body: {}, stability: 'beta' },
    { operationId: 'listCategories', method: 'GET', path: categories, status: 200 },
    { operationId: 'createCategory', method: 'POST', path: categories, status: 201, body: { name: 'Fish' } },
    { operationId: 'getCategory', method: 'GET', path: `${categories}/${empty}`, status: 200 },
    { operationId: 'replaceCategory', method: 'PUT', path: `${categories}/${empty}`, status: 200, body: { name: 'C' } },
    {
      operationId: 'updateCategory',
      method: 'PATCH',
      path: `${categories}/${empty}`,
      status: 200,
      body: {},
      stability: 'beta',
    },
    { operationId: 'deleteCategory', method: 'DELETE', path: `${categories}/${empty}`, status: 204 },
    { operationId: 'listOrders', method: 'GET', path: orders, status: 200 },
    { operationId: 'placeOrder', method: 'POST', path: orders, status: 201, body: {} },
    { operationId: 'getOrder', method: 'GET', path: `${orders}/${orderId}`, status: 200 },
    {
      operationId: 'updateOrder',
      method: 'PATCH',
      path: `${orders}/${orderId}`,
      status: 200,
      body: { quantity: 2 },
      stability: 'beta',
    },
    { operationId: 'cancelOrder', method: 'DELETE', path: `${orders}/${orderId}`, status: 204 },
    { operationId: 'listInventory', method: 'GET', path: inventory, status: 200 },
    { operationId: 'getInventoryItem', method: 'GET', path: `${inventory}/${petId}`, status: 200 },
    {
      operationId: 'replaceStock',
      method: 'PUT',
      path: `${inventory}/${uncounted}`,
      status: 201,
      body: { quantity: 5 },
      stability: 'beta',
    },
    {
      operationId: 'stopTracking',
      method: 'DELETE',
      path: `${inventory}/${petId}`,
      status: 204,
      stability: 'experimental',
    },
    { operationId: 'deletePet', method: 'DELETE', path: `${pets}/${petId}`, status: 204 },
    ...webhookExamples(`/webhooks/${webhookId}`),
    { operationId: 'listEvents', method: 'GET', path: '/events', status: 200, stability: 'beta' },
    { operationId: 'listLifecycle', method: 'GET', path: '/lifecycle', status: 200, stability: 'experimental' },
  ];
}

function webhookExamples(path: string): Example[] {
  const stability = 'beta';
  const body = { url: 'https://shop.example/hooks' };
  return [
    { operationId: 'listWebhooks', method: 'GET', path: '/webhooks', status: 200, stability },
    { operationId: 'createWebhook', method: 'POST', path: '/webhooks', status: 201, body, stability },
    { operationId: 'getWebhook', method: 'GET', path, status: 200, stability },
    { operationId: 'updateWebhook', method: 'PATCH', path, status: 200, body: {}, stability },
    { operationId: 'rotateWebhookSecret', method: 'POST', path: `${path}/secret`, status: 200, stability },
    { operationId: 'listDeliveries', method: 'GET', path: `${path}/deliveries`, status: 200, stability },
    { operationId: 'redeliverEvents', method: 'POST', path: `${path}/redeliver?after=now`, status: 200, stability },
    { operationId: 'deleteWebhook', method: 'DELETE', path, status: 204, stability },
  ];
}

/** The paths of the contract, each with its methods and a URL. */
export const PATHS = Object.entries(openApi.paths).map(([path, operations]) => ({
  path,
  address: path.replaceAll(/\{\w+\}/g, '1'),
  methods: Object.keys(operations)
    .map((method) => method.toUpperCase())
    .filter((method) => /^(GET|POST|PUT|PATCH|DELETE)$/.test(method)),
}));

/** The values of a header field with a list, sorted. */
export function listed(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? '').split(/\s*,\s*/).toSorted();
}
