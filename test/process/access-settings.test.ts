import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/process/settings.ts';

const issuer = {
  JWT_JWKS_URL: 'https://login.example/jwks.json',
  JWT_ISSUER: 'https://login.example',
  JWT_AUDIENCE: 'pet-store',
};

describe('AUTH', () => {
  test('is open unless it is set', () => {
    expect(readSettings({}).AUTH).toBe('open');
    expect(readSettings({ AUTH: '' }).AUTH).toBe('open');
    expect(readSettings({ AUTH: 'all' }).AUTH).toBe('all');
  });

  test('must be set in production, even to open', () => {
    expect(() => readSettings({ NODE_ENV: 'production' })).toThrow(
      'AUTH must be set when NODE_ENV is production: required, all, or open for a service that everyone can change',
    );
    for (const AUTH of ['open', 'required', 'all'])
      expect(readSettings({ NODE_ENV: 'production', DATABASE: 'embedded', AUTH }).AUTH).toBe(AUTH);
  });

  test('rejects any other value than open, required and all', () => {
    expect(() => readSettings({ AUTH: 'yes' })).toThrow(/^AUTH must be open, required or all$/);
    const padded = /^AUTH must be open, required or all; its value has space at an end$/;
    expect(() => readSettings({ AUTH: 'required ' })).toThrow(padded);
  });
});

describe('JWT', () => {
  test('needs all of JWKS URL, issuer and audience, or none', () => {
    expect(readSettings(issuer)).toMatchObject({ ...issuer, JWT_CLOCK_SKEW: 30 });
    for (const name of Object.keys(issuer)) {
      for (const some of [{ ...issuer, [name]: undefined }, { [name]: 'https://login.example' }])
        expect(() => readSettings(some)).toThrow(/goes together with JWT_ISSUER and JWT_AUDIENCE/);
    }
  });

  test.each([
    'http://login.example/jwks.json',
    'HTTP://login.example/jwks.json',
    'http://localhost.login.example/jwks.json',
    'http://127.0.0.1.login.example/jwks.json',
    'http://login.example:99999/jwks.json',
    'ftp://login.example',
    'login.example',
    'https://me:pw@login.example/jwks',
  ])('rejects the JWKS URL %s', (url) => {
    expect(() => readSettings({ ...issuer, JWT_JWKS_URL: url })).toThrow(/JWT_JWKS_URL must/);
  });

  test('accepts a JWKS URL whose path has an @', () => {
    const url = 'https://login.example/@pets/jwks.json';
    expect(readSettings({ ...issuer, JWT_JWKS_URL: url }).JWT_JWKS_URL).toBe(url);
  });

  test('accepts keys over plain HTTP only from this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
      expect(readSettings({ ...issuer, JWT_JWKS_URL: `http://${host}:8080/jwks` }).JWT_JWKS_URL).toContain(host);
    }
  });

  test.each(['none', 'HS256', 'RS256,none', ','])('rejects the algorithms %s', (JWT_ALGORITHMS) => {
    expect(() => readSettings({ JWT_ALGORITHMS })).toThrow(/JWT_ALGORITHMS must be one or more of RS256/);
  });

  test.each(['-1', '301', '1.5', 'x'])('rejects the clock skew %s', (JWT_CLOCK_SKEW) => {
    expect(() => readSettings({ JWT_CLOCK_SKEW })).toThrow('JWT_CLOCK_SKEW must be a whole number from 0 to 300');
  });
});

test('settings that do not fit together are named together with values that are wrong', () => {
  expect(() => readSettings({ NODE_ENV: 'production', LOG_LEVEL: 'loud' })).toThrow(
    /^LOG_LEVEL must be .*\nDATABASE_URL must be set .*\nAUTH must be set .*$/,
  );
  expect(() => readSettings({ WORKERS: 'abc' })).toThrow(/^WORKERS must be a whole number from 1 to 128.*$/);
});
