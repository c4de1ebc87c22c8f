import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { migrate } from './service.ts';
import { makeTemporaryFolder } from './temporary.ts';

/** The databases that PostgreSQL copies to make another: two thirds of the files of a data folder, and unused here. */
const UNUSED = ['template0', 'template1'];

/**
 * Makes one migrated data folder for every test file to copy: making one takes seconds, copying and opening it half a
 * second.
 *
 * @returns removes it
 */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = makeTemporaryFolder();
  const template = join(folder.path, 'template');
  await migrate({ DATA_DIR: template });
  await dropUnused(join(template, 'pgdata'));
  project.provide('testDatabase', { kind: 'embedded', folder: folder.path, template });
  return folder.remove;
}

async function dropUnused(folder: string): Promise<void> {
  const database = await PGlite.create(folder);
  await database.exec('update pg_database set datistemplate = false');
  for (const name of UNUSED) await database.exec(`drop database ${name}`);
  await database.exec('checkpoint');
  await database.close();
}
