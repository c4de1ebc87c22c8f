import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/engine/db/client.ts';
import { migrateDatabase } from '../../src/engine/db/migrate.ts';
import { makeTemporaryFolder } from './temporary.ts';

/**
 * Makes one migrated data folder for every test file to copy: making one takes seconds, copying and opening it half a
 * second.
 *
 * @returns removes it
 */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = makeTemporaryFolder();
  const template = join(folder.path, 'template');
  const database = await openDatabase({ url: undefined, folder: template, timeout: 10_000 });
  await migrateDatabase(database).finally(() => database.close());
  project.provide('testDatabase', { kind: 'embedded', folder: folder.path, template });
  return folder.remove;
}
