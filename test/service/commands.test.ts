import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { seed } from '../../src/petstore/seed.ts';
import { administer } from '../support/admin.ts';
import { databaseKind, hasCommonTests, openTestDatabase } from '../support/database.ts';
import { runToEnd, settingsFor } from '../support/service.ts';
import { environment, makeDatabase, post, withService } from './processes.ts';

makeDatabase();

test('the command that loads data adds the given number of pets, whose stock and statuses follow the rules', async () => {
  const { database, location, dispose } = await openTestDatabase();
  onTestFinished(dispose);
  await seed(database, 10, () => {});
  await database.close();
  const { code, output } = await runToEnd('commands/seed', ['--pets', '3000'], settingsFor(location));
  expect(code).toBe(0);
  expect(output).toMatch(/3,000 of 3,000 pets, [\d,]+\/s/);
  await withService(settingsFor(location), async (service) => {
    const query =
      '{ pets { totalCount } inventory(first: 100) { nodes { quantity status pet { orders { nodes { complete } } } } } }';
    const { data } = await (await post(service.base, '/graphql', { query })).json();
    expect(data.pets.totalCount).toBe(3010);
    for (const { quantity, status, pet } of data.inventory.nodes) {
      const isOpen = pet.orders.nodes.some(({ complete }: { complete: boolean }) => !complete);
      expect(status).toBe(quantity > 0 ? 'available' : isOpen ? 'pending' : 'sold');
    }
  });
});

if (hasCommonTests) {
  const ignoring: [string, readonly string[], RegExp][] = [
    ['commands/migrate', ['--dry-run'], /^Unknown option '--dry-run'\nnpm run db:migrate\n$/],
    ['commands/keys', ['create', '--scope', 'read'], /^Unknown option '--scope'\nnpm run keys -- create --name NAME/],
    ['commands/keys', ['revoke', '1', '--expires', '30d'], /^revoke takes no --expires\.\nnpm run keys -- create/],
    ['commands/keys', ['list', '--expires', '30d'], /^list takes no --expires\.\nnpm run keys -- create/],
    ['commands/events', ['redeliver', '1', '--type', 'x'], /^redeliver takes no --type\.\nnpm run events -- tail/],
    ['commands/events', ['epoch', '--after', '1.1'], /^epoch takes no --after\.\nnpm run events -- tail/],
  ];
  const [name, scopes] = [
    ['--name', 'me'],
    ['--scopes', 'read'],
  ];
  const invalid: typeof ignoring = [
    ['commands/keys', ['create', '--name', ' ', ...scopes], /^--name must say whose key it is/],
    [
      'commands/keys',
      ['create', '--name', 'x'.repeat(201), ...scopes],
      /^--name must .* in 1 to 200 characters of one line\.$/m,
    ],
    ['commands/keys', ['create', '--name', 'a\nb', ...scopes], /^--name must say whose key it is/],
    [
      'commands/keys',
      ['create', ...name, ...scopes, '--scopes', 'orders:write'],
      /^--scopes is given twice; give it once\.$/m,
    ],
    ['commands/keys', ['revoke', 'psk_0123456789ab_secret'], /^(?!.*secret).*No key has the id 0123456789ab;/s],
    ['commands/seed', ['--pets', '1e3'], /^--pets must .*, not 1e3\.$/m],
    ['commands/keys', ['create', ...name], /^--scopes must be some of these, separated by commas:\n {2}read: /],
    ['commands/keys', ['create', ...name, '--scopes', 'read,pets'], /^--scopes must .* commas; pets is not one:\n/],
    [
      'commands/keys',
      ['create', ...name, ...scopes, '--expires', '0d'],
      /^--expires must be .* 1d to 3650d, not 0d\.$/m,
    ],
    ['commands/keys', ['create', ...name, ...scopes, '--expires', '3651d'], /^--expires must be .*, not 3651d\.$/m],
    ['commands/seed', ['--pets', 'many'], /^--pets must be a whole number from 1 to 10000000, not many\.\n$/],
    ['commands/seed', ['--pets', '0'], /^--pets must be a whole number from 1 to 10000000, not 0\.$/m],
    ['commands/seed', ['--pets', '10000001'], /^--pets must .*, not 10000001\.$/m],
  ];
  test('a command rejects a value that it cannot use, and says which it can', async () => {
    await Promise.all(
      invalid.map(async ([command, args, said]) => {
        const { code, output, errors } = await runToEnd(command, args, environment);
        expect([args, code, output]).toEqual([args, 1, '']);
        expect(errors).toMatch(said);
      }),
    );
  });

  test.each(ignoring)(
    '%s rejects an option that it would ignore, and says what it accepts: %j',
    async (command, args, said) => {
      const { code, output, errors } = await runToEnd(command, args, environment);
      expect([code, output]).toEqual([1, '']);
      expect(errors).toMatch(said);
    },
  );
}

test.each(['seed', 'migrate', 'keys', 'events'])('%s tells its usage by --help', async (command) => {
  const { code, output, errors } = await runToEnd(`commands/${command}`, ['--help'], environment);
  expect([code, errors]).toEqual([0, '']);
  expect(output).toMatch(new RegExp(`^npm run (db:)?${command}`));
});

test('a command does not have changes recorded as events, unless the service does', async () => {
  await withService({ EVENTS: 'off' }, async () => {});
  expect((await runToEnd('commands/keys', ['list'], environment)).code).toBe(0);
  await withService({ EVENTS: 'off', MIGRATE: 'off' }, async () => {});
});

const ofTheService: readonly [string, ...string[]][] = [
  ['commands/keys', 'list'],
  ['commands/keys', 'revoke', '1'],
  ['commands/events', 'epoch'],
  ['commands/events', 'redeliver', '1', '--after', '1.0'],
];

if (databaseKind === 'embedded') {
  test.each([...ofTheService, ['commands/keys', 'create', '--name', 'me', '--scopes', 'orders:write']] as const)(
    'where there is no database, %s %s says so, and creates none',
    async (command, ...args) => {
      const DATA_DIR = `${environment.DATA_DIR}/none`;
      expect(await runToEnd(command, args, { DATA_DIR })).toEqual({
        code: 1,
        output: '',
        errors: `There is no database in ${DATA_DIR}. Set DATABASE_URL or DATA_DIR as for the service, or start the service first.\n`,
      });
      await expect(stat(DATA_DIR)).rejects.toThrow('ENOENT');
    },
  );

  test('where there is no database, db:studio creates none: it would be readable by all users', async () => {
    const DATA_DIR = `${environment.DATA_DIR}/none`;
    const studio = spawn(process.execPath, ['--import', 'tsx', 'src/commands/studio.ts'], { env: { DATA_DIR } });
    expect(await text(studio.stderr)).toMatch(/^There is no database in /);
    await expect(stat(DATA_DIR)).rejects.toThrow('ENOENT');
  });
} else {
  const makeBlank = async () => {
    const blank = `blank_${randomUUID().replaceAll('-', '')}`;
    await administer(environment.DATABASE_URL ?? '', `create database ${blank}`);
    onTestFinished(() => administer(environment.DATABASE_URL ?? '', `drop database ${blank} with (force)`));
    return { blank, url: Object.assign(new URL(environment.DATABASE_URL ?? ''), { pathname: `/${blank}` }) };
  };

  test('the command for keys makes one, also before the first start, lists all in their order, and revokes one', async () => {
    const { url } = await makeBlank();
    const keys = async (...args: string[]) => {
      const { code, output, errors } = await runToEnd('commands/keys', args, { DATABASE_URL: url.href });
      return { code, output, error: errors.split('\n')[1] };
    };
    const create = (name: string, ...more: string[]) =>
      keys('create', '--name', name, '--scopes', 'read,orders:write read', ...more);
    const [first, second] = [await create('Ann', '--expires', '30d'), await create('Bob')];
    const line = (name: string) => `(\\w+)  ${name}  scopes read orders:write, created (.+Z), `;
    const shown = (name: string, end: string) =>
      new RegExp(`^(psk_\\w{12}_\\S{43})\n\nIt is shown only once\\. ${line(name)}${end}\n$`);
    const [, text = '', id, created = '', expires = ''] = shown('Ann', 'expires (.+Z)').exec(first.output) ?? [];
    expect(Math.abs(Date.parse(expires) - Date.parse(created) - 30 * 86_400_000)).toBeLessThan(60_000);
    expect(text.startsWith(`psk_${id}_`)).toBe(true);
    expect(second.output).toMatch(shown('Bob', 'never expires'));
    const revoked = await keys('revoke', text);
    expect(revoked.output).toMatch(new RegExp(`^${line('Ann')}revoked (?!${expires}).+Z\n$`));
    expect((await keys('list')).output).toMatch(
      new RegExp(`^${line('Ann')}revoked (?!${expires}).+Z\n${line('Bob')}never expires\n$`),
    );
    await administer(url.href, "update api_keys set expires_at = now() where name = 'Bob'");
    expect((await keys('list')).output).toMatch(new RegExp(`${line('Bob')}expired .+Z\n$`));
    expect(await keys('revoke', '1')).toEqual({
      code: 1,
      output: '',
      error: 'No key has the id 1; npm run keys -- list lists all keys.',
    });
  });

  test('a command that manages the service does not migrate a blank database, and names it', async () => {
    const { blank, url } = await makeBlank();
    for (const [command, ...args] of ofTheService) {
      const { code, output, errors } = await runToEnd(command, args, { DATABASE_URL: url.href });
      expect([code, output]).toEqual([1, '']);
      expect(errors).toMatch(
        new RegExp(
          `^Database: ${url.host}/${blank}\n\\d+ migrations are not applied, and this command applies none: run npm run db:migrate first\\.\n$`,
        ),
      );
    }
    const { errors } = await runToEnd('commands/seed', [], { DATABASE_URL: url.href, MIGRATE: 'off' });
    expect(errors).toMatch(/\n\d+ migrations are not applied, and MIGRATE is off: run npm run db:migrate first\.\n$/);
  });

  test('the command that migrates says what it has changed', async () => {
    const { url } = await makeBlank();
    for (const said of [
      /^\d+ migrations applied, \d+ definitions of events changed\.\n$/,
      /^The database is up to date\.\n$/,
    ]) {
      const { code, output } = await runToEnd('commands/migrate', [], { DATABASE_URL: url.href });
      expect(code).toBe(0);
      expect(output).toMatch(said);
    }
  });
}
