import { totalmem } from 'node:os';
import { addressOf, administer, rowsOf } from '../../support/admin.ts';
import { startPostgresServer } from '../../support/postgres-server.ts';
import { loadData } from './load.ts';
import { type DataSize, SMALL } from './size.ts';

/** A database with one user. */
export interface OwnDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

/** A PostgreSQL server with the data of the benchmark. */
export interface Databases {
  readonly version: string;
  /** A fresh copy of the small database. */
  copySmall(): Promise<OwnDatabase>;
  /** The URL of the large database, which is only read; it is loaded on first use. */
  large(size: DataSize): Promise<string>;
  stop(): Promise<void>;
}

/** A quarter of the memory, as PostgreSQL's manual recommends: its default of 128 MiB is smaller than the large tables. */
const SHARED_BUFFERS = Math.floor(totalmem() / 4 / 1_048_576);

/** Starts a server with fsync, and otherwise PostgreSQL's defaults, and loads the small database. */
export async function startDatabases(say: (line: string) => void): Promise<Databases> {
  const server = await startPostgresServer({ durable: true, sharedBuffers: SHARED_BUFFERS });
  let copies = 0;
  let large: Promise<string> | undefined;
  try {
    const small = await load('small', SMALL);
    const [row] = await rowsOf<{ version: string }>(server.url, "select current_setting('server_version') as version");
    return {
      version: String(row?.version),
      async copySmall() {
        const name = `copy_${++copies}`;
        await administer(server.url, `create database ${name} template ${small}`);
        const remove = () => administer(server.url, `drop database ${name} with (force)`);
        return { url: addressOf(server.url, name), remove };
      },
      large(size) {
        large ??= load('large', size).then((name) => addressOf(server.url, name));
        return large;
      },
      stop: server.stop,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }

  async function load(name: string, size: DataSize): Promise<string> {
    const began = performance.now();
    await administer(server.url, `create database ${name}`);
    await loadData(addressOf(server.url, name), size);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    say(
      `Loaded ${size.pets.toLocaleString('en')} pets and ${size.orders.toLocaleString('en')} orders in ${seconds} s.`,
    );
    return name;
  }
}
