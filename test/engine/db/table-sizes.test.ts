import { pgTable } from 'drizzle-orm/pg-core';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../../src/engine/db/client.ts';
import { tableSizes } from '../../../src/engine/db/table-sizes.ts';

test('sizes are read again once when they are old; if that fails, they stay as they are, and the process goes on', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const read = vi.fn(async () => [{ name: 'books', pages: 7 }]);
  const books = pgTable('books', {});
  const sizes = tableSizes({ statement: () => read } as unknown as Database, [books]);
  await sizes.refresh();
  read.mockRejectedValue(new Error('The database is away.'));
  for (const reads of [1, 2]) {
    expect([sizes.pagesOf([books]), sizes.pagesOf([books])]).toEqual([[7], [7]]);
    expect(read).toHaveBeenCalledTimes(reads);
    await vi.advanceTimersByTimeAsync(10_001);
  }
});
