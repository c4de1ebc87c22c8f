import { parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { compileOperation } from '../../../src/engine/operation/compiled.ts';
import { PreparedDocuments } from '../../../src/engine/operation/documents.ts';
import type { PreparedOperation } from '../../../src/engine/operation/prepared.ts';
import type { Context } from '../../../src/engine/schema/context.ts';
import { bookSchema } from '../../support/books.ts';

vi.mock(import('../../../src/engine/operation/compiled.ts'), async (original) => {
  const real = await original();
  return { ...real, compileOperation: vi.fn(real.compileOperation) };
});

test('an operation that others drive out of the cache is compiled again after ever more runs, 640 at most', () => {
  const documents = new PreparedDocuments(bookSchema);
  const prepare = (name: string) => {
    const text = `query ${name} { ${'__typename '.repeat(250)} }`;
    return documents.prepare(text, parse(text), undefined);
  };
  const compiled = vi.mocked(compileOperation).mock.calls;
  const runUntilCompiled = (operation: PreparedOperation) => {
    const { length } = compiled;
    let runs = 0;
    for (; compiled.length === length && runs < 1_000; runs++) operation.run({}, {} as Context);
    return runs;
  };
  const used = prepare('used');
  const runs = Array.from({ length: 10 }, (_, time) => {
    const count = runUntilCompiled(used);
    for (let n = 0; n < 8; n++) runUntilCompiled(prepare(`other${time}_${n}`));
    return count;
  });
  expect(runs).toEqual([10, 10, 20, 40, 80, 160, 320, 640, 640, 640]);
});
