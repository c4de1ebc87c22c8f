import { sql } from 'drizzle-orm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Database } from '../../../src/engine/db/client.ts';
import type { StatementKind } from '../../../src/engine/db/driver.ts';
import { DatabaseError, LockTimeout, unavailable } from '../../../src/engine/db/violations.ts';

const LOST = unavailable(new Error('The connection is lost.'));
const DEADLOCK = new DatabaseError('A deadlock was detected.', '40P01', undefined, undefined);
const REJECTED = new DatabaseError('A column is missing.', '42703', undefined, undefined);
const LOCKED = 'Other requests are changing the same rows; try again.';

const notUsed = () => Promise.reject(new Error('It is not used.'));

function databaseWith(query: () => Promise<never[]>, timeout = 10_000): Database {
  const driver = { kind: 'server', query, transaction: notUsed, close: notUsed } as const;
  return new Database(driver, undefined, { timeout });
}

const send = (database: Database, kind: StatementKind) => database.statement('any', kind, sql`any`, {})();

test('a statement whose values are not placeholders by name is an error when it is made', () => {
  const any = sql`select ${sql.param(sql.placeholder('id'))}`;
  expect(() => databaseWith(async () => []).statement('any', 'list', any, {})).toThrow('sql.placeholder alone');
});

describe('a statement that fails', () => {
  test.each<[about: string, kind: StatementKind, error: Error]>([
    ['a read whose connection is lost', 'list', LOST],
    ['a read whose table is locked', 'list', new LockTimeout()],
    ['a change that a deadlock has undone', 'write', DEADLOCK],
  ])('is sent again if it is %s', async (_, kind, error) => {
    const query = vi.fn(async () => []).mockRejectedValueOnce(error);
    expect(await send(databaseWith(query), kind)).toEqual([]);
    expect(query).toHaveBeenCalledTimes(2);
  });

  test.each<[about: string, kind: StatementKind, error: Error, milliseconds: number]>([
    ['a change whose connection is lost, because it may have been made', 'write', LOST, 0],
    ['a change that has waited for a row', 'write', new LockTimeout(), 0],
    ['a read that the database rejects', 'list', REJECTED, 0],
    ['a read that has waited for a second', 'list', LOST, 1_000],
  ])('is not sent again if it is %s', async (_, kind, error, milliseconds) => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    const query = vi.fn(async () => {
      now += milliseconds;
      throw error;
    });
    await expect(send(databaseWith(query), kind)).rejects.toBe(error);
    expect(query).toHaveBeenCalledTimes(1);
  });

  test('is not sent again when its request is soon to end', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    const query = vi.fn(async () => {
      now += 500;
      throw LOST;
    });
    for (const [timeout, times] of [
      [1_000, 1],
      [10_000, 5],
    ] as const) {
      query.mockClear();
      await expect(send(databaseWith(query, timeout), 'list')).rejects.toBe(LOST);
      expect(query).toHaveBeenCalledTimes(times);
    }
  });

  test.each([
    ['five times', 5, (database: Database) => database],
    [
      'once in a transaction, which has locked other rows',
      1,
      (database: Database) => database.inTransaction(database.driver.query),
    ],
  ])('because of deadlocks is sent %s at most', async (_, times, through) => {
    const query = vi.fn(() => Promise.reject(DEADLOCK));
    await expect(send(through(databaseWith(query)), 'write')).rejects.toThrow(LOCKED);
    expect(query).toHaveBeenCalledTimes(times);
  });

  test('because its table stays locked is sent five times, each of which lets others have their turn', async () => {
    const query = vi.fn(() => Promise.reject(new LockTimeout()));
    // A `LockTimeout` would make the reads of a batch run again, each on its own.
    const error = await send(databaseWith(query), 'lookup').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('What this reads is locked') });
    expect(error).not.toBeInstanceOf(LockTimeout);
    expect(query).toHaveBeenCalledTimes(5);
  });
});
