import { setTimeout as sleep } from 'node:timers/promises';
import { Database, type Probe } from '../../src/engine/db/client.ts';
import type { Driver } from '../../src/engine/db/driver.ts';
import { openEmbedded } from '../../src/engine/db/embedded.ts';
import type { DatabaseCopy, TestDatabase } from './database.ts';
import { type Origin, originOf, renew } from './renew.ts';

/** How many databases a worker keeps for the next test, and how long it waits for what still runs, in milliseconds. */
const MAX_SPARE = 2;
const PATIENCE = 1_000;

/** An open embedded database that tests of one worker use one after another. */
interface Shared {
  readonly driver: Driver;
  readonly origin: Origin;
  readonly copy: DatabaseCopy;
}

/** Those that no test uses at present. */
const spare: Shared[] = [];

/**
 * Opens an embedded database that is as new: one that another test has left and that was emptied, or else a copy. To open
 * a copy takes ten times as long as to empty one.
 */
export async function openSharedDatabase(makeCopy: () => Promise<DatabaseCopy>, probe?: Probe): Promise<TestDatabase> {
  const shared = spare.pop() ?? (await open(await makeCopy()));
  const { driver, copy } = shared;
  const running = new Set<Promise<unknown>>();
  let [isOver, isClosed] = [false, false];
  function run<T>(work: () => Promise<T>): Promise<T> {
    if (isOver) return Promise.reject(new Error('The database is closed.'));
    const result = work();
    const ended = result.catch(() => {}).finally(() => running.delete(ended));
    running.add(ended);
    return result;
  }
  const database = new Database(
    {
      kind: driver.kind,
      query: (...sent) => run(() => driver.query(...sent)),
      transaction: (...work) => run(() => driver.transaction(...work)),
      // A test closes it when another process needs the folder.
      close: () => {
        [isOver, isClosed] = [true, true];
        return driver.close();
      },
    },
    probe,
  );
  return {
    database,
    location: copy.location,
    async dispose() {
      isOver = true;
      const hasEnded = await Promise.race([Promise.all(running).then(() => true), sleep(PATIENCE, false)]);
      if (!isClosed && hasEnded && spare.length < MAX_SPARE && (await isRenewed(shared))) {
        spare.push(shared);
      } else {
        // It rejects if the test has closed it already; ignored.
        await driver.close().catch(() => {});
        await copy.dispose();
      }
    },
  };
}

async function open(copy: DatabaseCopy): Promise<Shared> {
  try {
    const driver = await openEmbedded(copy.location.folder);
    return { driver, copy, origin: await driver.transaction((query) => originOf(query), undefined) };
  } catch (error) {
    await copy.dispose();
    throw error;
  }
}

function isRenewed({ driver, origin }: Shared): Promise<boolean> {
  return driver.transaction((query) => renew(query, origin), undefined).catch(() => false);
}
