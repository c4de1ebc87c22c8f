import { parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { compileOperation } from '../../../src/engine/operation/compiled.ts';
import { PreparedDocuments } from '../../../src/engine/operation/documents.ts';
import type { Context } from '../../../src/engine/schema/context.ts';
import { bookSchema } from '../../support/books.ts';

vi.mock(import('../../../src/engine/operation/compiled.ts'), async (original) => {
  const real = await original();
  return { ...real, compileOperation: vi.fn(real.compileOperation) };
});

test('operations that drive each other out of the cache are compiled after 10, 20, 40 and 80 runs at most', () => {
  const documents = new PreparedDocuments(bookSchema);
  const operations = Array.from({ length: 20 }, (_, n) => {
    const text = `query q${n} { ${'__typename '.repeat(250)} }`;
    return documents.prepare(text, parse(text), undefined);
  });
  for (let run = 1; run <= 100; run++) {
    for (const operation of operations)
      expect(operation.run({}, {} as Context)).toEqual({ data: { __typename: 'Query' } });
  }
  expect(vi.mocked(compileOperation).mock.calls.length).toBeLessThanOrEqual(4 * operations.length);
});
