import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { CONNECTIONS, connectionsOf, DEFAULT_POOL, MIN_POOL } from '../../src/engine/db/pool-kinds.ts';
import { misspeltSettings, readSettings } from '../../src/process/settings.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

const production = { NODE_ENV: 'production', AUTH: 'required' };
const DATABASE_URL = 'postgres://localhost/pets';

describe('in production', () => {
  test('a database must be set', () => {
    expect(() => readSettings(production)).toThrow(
      'DATABASE_URL must be set when NODE_ENV is production; or set DATABASE=embedded for the database inside this process',
    );
    expect(readSettings({ ...production, DATABASE_URL }).DATABASE_URL).toBe(DATABASE_URL);
    expect(readSettings({ ...production, DATABASE: 'embedded' }).DATABASE_URL).toBeUndefined();
  });

  test('the error also names a misspelt setting', () => {
    expect(() => readSettings({ ...production, DATABASE_ULR: DATABASE_URL })).toThrow(
      /DATABASE_URL must be set .*\nDATABASE_ULR is not a setting; did you mean DATABASE_URL\?$/,
    );
  });
});

describe('DATABASE_URL', () => {
  test.each(['12%zz', '50%', '12#34', '12/34', '12?34', 'a@12/34'])(
    'with %j as its password, not encoded, stops the start without showing it',
    (password) => {
      expect(() => readSettings({ DATABASE_URL: `postgres://pets:${password}@localhost/pets` })).toThrow(
        /^DATABASE_URL must have % # \/ \? and @ in its user, password and parameters as %25 %23 %2F %3F and %40, or the password in DATABASE_PASSWORD$/,
      );
    },
  );

  test.each(['p%23%25%2F%3F%40', 'p@ss', "a+b=c&d!$'*"])('can have the password %s', (password) => {
    const url = `postgres://pets:${password}@localhost/pets?application_name=shop`;
    expect(readSettings({ DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  test.each([
    'pets@one,two:5432/pets',
    'pets@one:5432,two:5432/pets',
    'pets:p@ss,w@one,two/pets',
    'one,two/pets',
    'one,two?sslmode=disable',
    'one,two',
  ])('with several hosts (%s) stops the start', (rest) => {
    expect(() => readSettings({ DATABASE_URL: `postgres://${rest}` })).toThrow(
      /^DATABASE_URL must name one host; for several servers, one that leads to the primary$/m,
    );
  });

  test.each([
    'postgresql://pets@localhost/pets',
    'postgres://pets:a,b@localhost/pets',
    'postgres://localhost/pets,shop',
    'postgres://localhost?options=-c%20datestyle=ISO,DMY',
    'postgres://?host=/run/postgresql',
  ])('can be %s', (url) => {
    expect(readSettings({ DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  test.each([
    '?sslmode=required',
    '?sslmode=verify_full',
    '?sslmode=',
    '?connect_timeout=5&sslmode=required',
    '?sslmode=require&sslmode=disable',
  ])('with %s names the accepted ones', (query) => {
    expect(() => readSettings({ DATABASE_URL: DATABASE_URL + query })).toThrow(
      /^DATABASE_URL must have at most one sslmode: disable, allow, prefer, require, verify-ca, verify-full$/,
    );
  });

  test.each(['disable', 'prefer', 'require', 'verify-ca', 'verify-full'])('can have sslmode=%s', (mode) => {
    const url = `${DATABASE_URL}?connect_timeout=5&sslmode=${mode}`;
    expect(readSettings({ DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });
});

describe('NODE_ENV', () => {
  test.each(['prod', 'PROD', 'prd', ' prod', 'live', 'Production', 'PRODUCTION', 'production ', 'prodution'])(
    '%j stops the start, because it would mean development',
    (NODE_ENV) => {
      expect(() => readSettings({ NODE_ENV })).toThrow(
        /^NODE_ENV must be exactly production, or unset for development(; its value has space at an end)?$/,
      );
    },
  );

  test.each(['development', 'test', 'staging', 'pre-production', 'reproduction-of-a-bug'])('can be %s', (NODE_ENV) => {
    expect(readSettings({ NODE_ENV }).NODE_ENV).toBe(NODE_ENV);
  });
});

describe('DATABASE', () => {
  test('must be embedded or unset', () => {
    expect(readSettings({}).DATABASE).toBeUndefined();
    expect(() => readSettings({ DATABASE: DATABASE_URL })).toThrow(
      'DATABASE must be embedded or unset; the address of a server goes into DATABASE_URL',
    );
  });

  test('cannot be embedded when DATABASE_URL is set', () => {
    expect(() => readSettings({ DATABASE: 'embedded', DATABASE_URL })).toThrow(
      'DATABASE is embedded, and DATABASE_URL names a server: set one of them',
    );
  });
});

describe('a misspelt setting', () => {
  test.each([
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['DATABASE_PASSWORD_FIEL', 'DATABASE_PASSWORD_FILE'],
    ['JWTJWKSURI', 'JWT_JWKS_URL'],
    ['RATELIMIT', 'RATE_LIMIT'],
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['Port', 'PORT'],
    ['AUT', 'AUTH'],
  ])('%s gets the suggestion %s', (name, setting) => {
    expect(misspeltSettings({ [name]: 'x' })).toEqual([`${name} is not a setting; did you mean ${setting}?`]);
  });

  test('is none of the variables that a system, a shell or a platform sets', () => {
    const names =
      '_ CI COLUMNS DEBUG DISPLAY DYNO EDITOR FORCE_COLOR GITHUB_SHA HOME HOSTNAME HTTPS_PROXY HTTP_PROXY INIT_CWD LANG ' +
      'LC_ALL LINES LOGNAME MAIL NODE NODE_OPTIONS NODE_PATH NODE_VERSION NO_COLOR NO_PROXY OLDPWD PATH PGDATA PGDATABASE PGHOST ' +
      'PGPASSWORD PGPORT PGUSER PS1 PWD SHELL SHLVL SSH_TTY SUDO_USER TEMP TERM TEST_DATABASE_URL TMP TMPDIR TZ USER USERNAME VITEST ' +
      'XDG_RUNTIME_DIR YARN_VERSION npm_config_cache npm_lifecycle_event npm_package_name';
    expect(misspeltSettings(Object.fromEntries(names.split(' ').map((name) => [name, 'x'])))).toEqual([]);
  });

  test('is none of the settings', () => {
    expect(misspeltSettings({ PORT: '1', DATABASE_URL: 'x', RATE_LIMIT: 'off' })).toEqual([]);
  });
});

describe('a secret', () => {
  const folder = makeTemporaryFolder();
  const file = join(folder.path, 'secret');
  afterAll(() => folder.remove());

  test('may be in a file, with a line break at its end', () => {
    writeFileSync(file, `${DATABASE_URL}\n`);
    expect(readSettings({ DATABASE_URL_FILE: file }).DATABASE_URL).toBe(DATABASE_URL);
  });

  test('that is only the password is added to the URL, whatever characters it has', () => {
    writeFileSync(file, ' p@ss/w:rd?%\r\n');
    const { DATABASE_URL: url = '' } = readSettings({
      DATABASE_URL: 'postgres://me@localhost/pets',
      DATABASE_PASSWORD_FILE: file,
    });
    expect(decodeURIComponent(new URL(url).password)).toBe(' p@ss/w:rd?%');
    expect(new URL(url).host).toBe('localhost');
  });

  test('that is set twice, has no file, or has no server is an error that does not reveal it', () => {
    expect(() => readSettings({ DATABASE_URL, DATABASE_URL_FILE: file })).toThrow(
      'DATABASE_URL and DATABASE_URL_FILE are both set: set one of them',
    );
    expect(() => readSettings({ DATABASE_URL_FILE: '/nowhere' })).toThrow(
      /^DATABASE_URL_FILE must be the path of a file that can be read \(ENOENT\)$/,
    );
    expect(() =>
      readSettings({ NODE_ENV: 'production', DATABASE_URL_FILE: '/nowhere', PORT: 'x', AUTH: 'all' }),
    ).toThrow(/^DATABASE_URL_FILE must be the path [^\n]*\nPORT must be [^\n]*$/);
    writeFileSync(file, '\n');
    expect(() => readSettings({ DATABASE_URL, DATABASE_PASSWORD_FILE: file })).toThrow(
      `DATABASE_PASSWORD_FILE is the path of an empty file: ${file}`,
    );
    for (const url of ['postgres:///pets', 'postgres://?host=/run/postgresql', 'postgres://'])
      expect(() => readSettings({ DATABASE_URL: url, DATABASE_PASSWORD: 'secret' })).toThrow(
        /^DATABASE_URL must name a host if DATABASE_PASSWORD is set: without one, a URL has no password$/,
      );
    expect(() => readSettings({ DATABASE_PASSWORD: 'secret' })).toThrow(
      /^DATABASE_PASSWORD is for the server that DATABASE_URL names: set that too$/,
    );
  });
});

describe('DATABASE_POOL', () => {
  test('is divided among the kinds of use: at least one connection for each, and the default numbers for the default pool', () => {
    expect(connectionsOf(DEFAULT_POOL)).toEqual(CONNECTIONS);
    const pools = fc.integer({ min: MIN_POOL, max: 500 });
    const property = fc.property(pools, (pool) => {
      const given = Object.values(connectionsOf(pool));
      expect(given.reduce((sum, one) => sum + one)).toBe(pool);
      expect(Math.min(...given)).toBeGreaterThan(0);
      // No more transactions run at once.
      expect(connectionsOf(pool).transaction).toBeLessThanOrEqual(CONNECTIONS.transaction);
    });
    fc.assert(property);
  });

  test('must be enough for one connection per kind of use', () => {
    expect(readSettings({}).DATABASE_POOL).toBe(DEFAULT_POOL);
    expect(() => readSettings({ DATABASE_POOL: '5' })).toThrow(
      `DATABASE_POOL must be a whole number from ${MIN_POOL} to 500`,
    );
  });
});
