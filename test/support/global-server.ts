import { randomUUID } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { addressOf, administer, rowsOf } from './admin.ts';
import { startPostgresServer } from './postgres-server.ts';
import { migrate } from './service.ts';
import { makeTemporaryFolder } from './temporary.ts';

/**
 * Takes the server at TEST_DATABASE_URL, whose user must be allowed to create databases, or starts one; and makes one
 * migrated database there for every test file to copy.
 *
 * @returns drops it and its copies, and stops the server that was started
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const folder = makeTemporaryFolder();
  const server = given ? { url: given, stop: async () => {} } : await startPostgresServer();
  // Two runs may share a server, and a run that was killed leaves its template behind: never take another's.
  const template = `template_pet_store_${randomUUID().slice(0, 8)}`;
  const remove = async () => {
    try {
      const made = await rowsOf<{ datname: string }>(
        server.url,
        `select datname from pg_database where starts_with(datname, '${template}')`,
      );
      for (const { datname } of made) {
        await administer(server.url, `drop database ${datname} with (force)`);
      }
    } finally {
      await server.stop();
      folder.remove();
    }
  };
  try {
    await administer(server.url, `create database ${template}`);
    await migrate({ DATABASE_URL: addressOf(server.url, template) });
  } catch (error) {
    await remove().catch(() => {});
    throw error;
  }
  project.provide('testDatabase', { kind: 'server', folder: folder.path, template, url: server.url });
  return remove;
}
