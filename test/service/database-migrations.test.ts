import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/engine/db/client.ts';
import { withMigrationLock } from '../../src/engine/db/migrate.ts';
import { prepareTables } from '../../src/process/prepare-database.ts';
import { databaseKind, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { serveHere } from '../support/serve-here.ts';
import { settingsFor } from '../support/service.ts';

/** Starts the service on the database, which is closed for it, with these settings. */
async function serveOn({ database, location }: TestDatabase, settings: Readonly<Record<string, string>> = {}) {
  await database.close();
  return serveHere({ ...settingsFor(location), ...settings });
}

test('a table that differs from the migrations stops the start; the message says what is missing and what to run', async () => {
  const opened = await openTestDatabase();
  onTestFinished(opened.dispose);
  await opened.database.transaction((query) => query('alter table webhooks rename column url to address', []));
  await opened.database.transaction((query) => query('drop table idempotency_keys', []));
  await expect(serveOn(opened)).rejects.toThrow(
    /no migration in drizzle\/ creates: (?=.*\bwebhooks\.url\b)(?=.*\bidempotency_keys\.\w+).*\. Create it with: npm run db:generate -- --name/,
  );
});

test('a version whose columns a newer one has dropped does not start, says so, and leaves the writes of the newer one intact', async () => {
  const opened = await openTestDatabase();
  onTestFinished(opened.dispose);
  await opened.database.transaction(async (query) => {
    const [[body] = []] = await query("select prosrc from pg_proc where proname = 'categories_events'", []);
    const newer = `${body}`.replaceAll(/, "(categories|before)"."description" as "description"/g, '');
    await query(`create or replace function categories_events() returns trigger language plpgsql as $$${newer}$$`, []);
    await query('alter table categories drop column description', []);
    await query("insert into drizzle.__drizzle_migrations (hash, created_at) values ('of a newer version', 1)", []);
  });
  await expect(serveOn(opened)).rejects.toThrow(
    'The database has migrations that this version of the service does not know, and lacks columns that it needs: categories.description. Deploy a newer version.',
  );
  const reopened = await openDatabase(opened.location);
  await reopened.transaction((query) => query("insert into categories (name) values ('Any')", []));
  await reopened.close();
});

test('a migration that was changed after it was applied stops the start, and the message names its file', async () => {
  const opened = await openTestDatabase();
  onTestFinished(opened.dispose);
  await opened.database.transaction((query) =>
    query("update drizzle.__drizzle_migrations set hash = 'of another text' where id = 4", []),
  );
  await expect(serveOn(opened)).rejects.toThrow(
    'drizzle/0003_idempotency.sql was changed after this database was migrated with it: restore it',
  );
});

describe('where MIGRATE is off,', () => {
  const MIGRATE = 'off';

  test('a database without its migrations stops the start, and is left unchanged', async () => {
    const opened = await openTestDatabase();
    onTestFinished(opened.dispose);
    await opened.database.transaction((query) => query('delete from drizzle.__drizzle_migrations', []));
    await expect(serveOn(opened, { MIGRATE })).rejects.toThrow(
      /\d+ migrations? (is|are) not applied, and MIGRATE is off: run npm run db:migrate/,
    );
  });

  test('a database whose triggers are of a newer version is served, and the log says so: a rollback needs no job', async () => {
    const opened = await openTestDatabase();
    onTestFinished(opened.dispose);
    await opened.database.transaction(async (query) => {
      await query("alter table categories add column color text default 'red'", []);
      const [[body] = []] = await query("select prosrc from pg_proc where proname = 'categories_events'", []);
      const newer = `${body}`.replaceAll('"categories"."name" as', '"categories"."color" as "color", $&');
      await query(
        `create or replace function categories_events() returns trigger language plpgsql as $$${newer}$$`,
        [],
      );
    });
    const service = await serveOn(opened, { MIGRATE });
    expect(service.output()).toContain('events are recorded as another version of the service defines them');
    const base = `http://127.0.0.1:${service.port}`;
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Any"}' };
    const { id } = await (await fetch(`${base}/categories`, request)).json();
    const received = await (await fetch(`${base}/events?subject=categories/${id}&wait=5`)).json();
    expect(received).toMatchObject([{ data: { name: 'Any' } }]);
    expect(received[0].data).not.toHaveProperty('color');
    await service.stop({ isReplaced: false });
  });

  test('a database without the triggers stops the start', async () => {
    const opened = await openTestDatabase();
    onTestFinished(opened.dispose);
    await opened.database.transaction((query) => query('drop trigger pets_events_insert on pets', []));
    await expect(serveOn(opened, { MIGRATE })).rejects.toThrow(
      /do not match EVENTS=on, .* run npm run db:migrate with the same EVENTS first\./,
    );
  });
});

// The embedded database runs one transaction at a time.
if (databaseKind === 'server') {
  describe('a migration', () => {
    test('that meets the lock of a backup lets writes pass, says that it waits, and is done after the backup', async () => {
      const { database, dispose } = await openTestDatabase();
      onTestFinished(dispose);
      const insert = "insert into categories (name) values ('Newts')";
      const reasons: string[] = [];
      let migrating: Promise<unknown> | undefined;
      await database.transaction(async (backup) => {
        await backup('lock table categories in access share mode', []);
        migrating = withMigrationLock(
          database,
          (reason) => reasons.push(reason),
          (query) => query('alter table categories add column motto text', []),
        );
        await expect.poll(() => reasons, { timeout: 10_000 }).toHaveLength(1);
        await database.transaction((query) => query(insert, []));
      });
      await migrating;
      expect(reasons[0]).toBe('other transactions hold locks on the tables');
      await database.transaction((query) => query('select motto from categories', []));
    });

    test('that deadlocks with a change, which needs a table that it has locked, is done after that change', async () => {
      const { database, dispose } = await openTestDatabase();
      onTestFinished(dispose);
      const reasons: string[] = [];
      let migrating: Promise<unknown> | undefined;
      await database.transaction(async (change) => {
        await change('lock table pets in row exclusive mode', []);
        let isLocked = false;
        migrating = withMigrationLock(
          database,
          (reason) => reasons.push(reason),
          async (query) => {
            await query('alter table categories add column motto text', []);
            isLocked = true;
            await query('alter table pets add column motto text', []);
          },
        );
        migrating.catch(() => {});
        await expect.poll(() => isLocked).toBe(true);
        await sleep(200);
        await change('lock table categories in row share mode', []);
      });
      await migrating;
      expect(reasons).toEqual(['other transactions hold locks on the tables']);
    });

    test('that waits for another process says so in the log', async () => {
      const { database, dispose } = await openTestDatabase();
      onTestFinished(dispose);
      const lines: string[] = [];
      const logger = pino({}, { write: (line: string) => lines.push(line) });
      let migrating: Promise<unknown> | undefined;
      await withMigrationLock(
        database,
        () => {},
        async () => {
          migrating = prepareTables(database, { MIGRATE: 'on' }, logger);
          await expect.poll(() => lines, { timeout: 10_000 }).toHaveLength(1);
        },
      );
      await migrating;
      expect(JSON.parse(lines[0] as string)).toMatchObject({
        reason: 'another process migrates the database',
        msg: 'waiting to migrate the database',
      });
    });
  });
}
