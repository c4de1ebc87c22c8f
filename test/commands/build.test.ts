import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { editedCopy } from '../bench/edit.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the build stops with one clear line', () => {
  test.each([
    {
      at: 'a mutation without a scope',
      file: 'src/petstore/categories/graphql.ts',
      replace: "  scope: 'catalogue:write',\n",
      by: '',
      line: 'Mutation.createCategory needs a scope.',
    },
    {
      at: 'a notice period that is too short',
      file: 'src/petstore/pets/graphql.ts',
      replace: "sunset: '2027-12-31'",
      by: "sunset: '2026-07-31'",
      line: "Query.pet: from 2026-07-01 to 2026-07-31 are 30 days; stable elements need 180 days' notice.",
    },
  ])('at $at', ({ line, ...edit }) => {
    let printed = '';
    try {
      editedCopy(root, edit);
    } catch (error) {
      printed = (error as { stderr?: Buffer }).stderr?.toString() ?? String(error);
    }
    expect(printed).toBe(`Building ...\n${line}\n`);
  });
});
