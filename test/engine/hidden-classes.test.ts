import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import type { PreparedOperation } from '../../src/engine/operation/prepared.ts';
import type { Context } from '../../src/engine/schema/context.ts';
import { openBookshop } from '../support/bookshop.ts';
import { executorIn } from '../support/executor.ts';

// A hidden class of each request takes time, and is freed by a major garbage collection only.
setFlagsFromString('--allow-natives-syntax');
const haveSameHiddenClass = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
  one: object,
  other: object,
) => boolean;

/** The last two of many, because V8 makes objects in another way after some calls. */
async function lastTwo<T>(make: () => Promise<T>): Promise<[T, T]> {
  for (let n = 0; n < 100; n++) await make();
  return [await make(), await make()];
}

test('the answers of GraphQL share a hidden class', async () => {
  const { graphqlAnswer } = openBookshop();
  const [one, other] = await lastTwo(() => graphqlAnswer('{ books { id } }'));
  expect(haveSameHiddenClass(one, other)).toBe(true);
});

test.each([false, true])(
  'the contexts of changes share a hidden class; several changes: %s',
  async (changesSeveral) => {
    const execute = executorIn(Object.assign({} as Context, { books: {}, authors: {} }));
    const [one, other] = await lastTwo(async () => {
      let seen: object | undefined;
      const run: PreparedOperation['run'] = (_, context) => {
        seen = context;
        return {};
      };
      await execute({ kind: 'change', changesSeveral, run });
      return seen as object;
    });
    expect(haveSameHiddenClass(one, other)).toBe(true);
  },
);
