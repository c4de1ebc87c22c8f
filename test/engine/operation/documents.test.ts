import { parse } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
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

describe('the document cache', () => {
  const numbers = (count: number) => [...Array(count).keys()];
  const text = (n: number, length = 0) => `{ books { id } } # ${n} `.padEnd(length, '-');
  const add = (documents: PreparedDocuments, query: string) => documents.prepare(query, parse(query), undefined);
  const cached = (documents: PreparedDocuments, texts: readonly string[]) =>
    texts.filter((query) => documents.find(query, undefined) !== undefined);

  test('keeps a document that comes for the second time', () => {
    const documents = new PreparedDocuments(bookSchema);
    add(documents, text(1));
    expect(documents.find(text(1), undefined)).toBeUndefined();
    add(documents, text(1));
    expect(documents.find(text(1), undefined)).toBeDefined();
  });

  test('keeps the last 1,000 documents', () => {
    const documents = new PreparedDocuments(bookSchema);
    const texts = numbers(1_500).map((n) => text(n));
    for (const query of [...texts, ...texts]) add(documents, query);
    expect(cached(documents, texts)).toEqual(texts.slice(500));
  });

  test('keeps at most 150,000 characters', () => {
    const documents = new PreparedDocuments(bookSchema);
    const texts = numbers(40).map((n) => text(n, 9_999));
    for (const query of texts) for (const _ of ['once', 'twice']) add(documents, query);
    expect(cached(documents, texts)).toEqual(texts.slice(25));
    const tooLong = text(0, 150_001);
    for (const _ of ['once', 'twice', 'thrice']) add(documents, tooLong);
    expect(cached(documents, [tooLong])).toEqual([]);
  });

  test('forgets a document if 5,000 others come before its second time', () => {
    const documents = new PreparedDocuments(bookSchema);
    const [first, ...others] = numbers(5_001).map((n) => text(n)) as [string, ...string[]];
    for (const query of [first, ...others]) add(documents, query);
    for (const query of [first, others.at(-1) as string]) add(documents, query);
    expect(cached(documents, [first, ...others])).toEqual([others.at(-1)]);
  });
});
