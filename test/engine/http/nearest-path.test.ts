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
];

describe('the path that was meant', () => {
  test.each([
    ['/pets/', '/pets'],
    ['/PETS', '/pets'],
    ['//pets', '/pets'],
    ['/pet', '/pets'],
    ['/Pets/12', '/pets/12'],
    ['/pets/12/', '/pets/12'],
    ['/pests/a-B', '/pets/a-B'],
    ['/category', '/categories'],
    ['/orders', '/store/orders'],
    ['/orders/7', '/store/orders/7'],
    ['/store/order', '/store/orders'],
    ['/reference/', '/reference'],
    ['/docs', '/reference'],
    ['/docs/', '/reference'],
    ['/graphiql', '/graphql'],
  ])('of %s is %s', (asked, meant) => expect(nearestPath(asked, patterns)).toBe(meant));

  test.each(['/nothing', '/x', '/pets/1/2', '/__proto__', '/constructor', `/${'p'.repeat(1_000)}`])(
    'of %s is not known',
    (asked) => expect(nearestPath(asked, patterns)).toBeUndefined(),
  );

  test('is none that is not here', () => expect(nearestPath('/docs', ['/pets'])).toBeUndefined());
});
