import { describe, expect, test } from 'vitest';
import { nearestPath } from '../../../src/engine/http/nearest-path.ts';

const patterns = [
  '/',
  '/pets',
  '/pets/{petId}',
  '/categories',
  '/store/orders',
  '/store/orders/{orderId}',
  '/reference',
  '/graphql',
  '/events',
  '/webhooks/{webhookId}/deliveries',
];

describe('the suggested path', () => {
  test.each([
    ['/pets/', '/pets'],
    ['/PETS', '/pets'],
    ['//pets', '/pets'],
    ['/pet', '/pets'],
    ['/Pets/12', '/pets/12'],
    ['/pets/12/', '/pets/12'],
    ['/pests/a-B', '/pets/a-B'],
    [`/pet/${'1'.repeat(95)}`, `/pets/${'1'.repeat(95)}`],
    ['/category', '/categories'],
    ['/orders', '/store/orders'],
    ['/orders/7', '/store/orders/7'],
    ['/store/order', '/store/orders'],
    ['/reference/', '/reference'],
    ['/docs', '/reference'],
    ['/docs/', '/reference'],
    ['/graphiql', '/graphql'],
    ['/api/pets', '/pets'],
    ['/API/v3/pets/7', '/pets/7'],
    ['/v1/pet', '/pets'],
    ['/api', '/'],
  ])('for %s is %s', (requested, suggested) => expect(nearestPath(requested, patterns)).toBe(suggested));

  test.each([
    '/nothing',
    '/x',
    '/deliveries',
    '/order',
    '/pets/1/2',
    // Rather than /pets/1.
    '/events/1',
    '/__proto__',
    '/constructor',
    `/${'p'.repeat(1_000)}`,
    // Hardly typed by hand.
    `/pet/${'1'.repeat(96)}`,
  ])('for %s is none', (requested) => expect(nearestPath(requested, patterns)).toBeUndefined());

  test('keeps a beginning that the service has', () => {
    expect(nearestPath('/v1/book', ['/', '/v1/books'])).toBe('/v1/books');
  });

  test('is always a path of the service', () => expect(nearestPath('/docs', ['/pets'])).toBeUndefined());
});
