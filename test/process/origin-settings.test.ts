import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/process/settings.ts';

describe('CORS_ORIGINS', () => {
  test.each(['https://shop.example', 'http://localhost:3000', 'http://[::1]:3000', 'https://xn--bcher-kva.example'])(
    'accepts %s',
    (origin) => {
      expect(readSettings({ CORS_ORIGINS: origin }).CORS_ORIGINS).toEqual([origin]);
    },
  );

  test.each([
    'https://*.shop.example',
    'https://shop.example:443',
    'https://Shop.example',
    'https://shop.example/',
    'https://shop.example?x',
    'https://bücher.example',
    'https://shop.example:99999',
    'ftp://shop.example',
    'shop.example',
    'https://shop.example,*',
  ])('rejects %s, which no browser sends', (origin) => {
    expect(() => readSettings({ CORS_ORIGINS: origin })).toThrow(/^CORS_ORIGINS must be /);
  });
});

test.each([
  'https://pets.example ',
  'https://pets.example\n',
  'https://me@pets.example',
  'https://pets.example/api',
  'https://pets.example?api',
  'https://pets.example#api',
  'https://pets.example\\api',
  'https://pets.example:99999',
])('PUBLIC_URL rejects %j, with which links would not work', (url) => {
  expect(() => readSettings({ PUBLIC_URL: url })).toThrow(/^PUBLIC_URL must be an origin/);
});

test('PUBLIC_URL can have a host of any letters, which header fields have as xn--', () => {
  expect(readSettings({ PUBLIC_URL: 'https://ペット.example/' }).PUBLIC_URL).toBe('https://xn--9ckk6c.example');
});

test.each(['/', '/api/', 'api', '/a//b', '/a b', '/a?b'])('BASE_PATH rejects %j', (path) => {
  expect(() => readSettings({ BASE_PATH: path })).toThrow(/^BASE_PATH must be empty or begin with '\/'/);
});
