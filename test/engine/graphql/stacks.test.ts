import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { withoutStacks } from '../../../src/engine/graphql/errors.ts';

const frames = (error: Error) => error.stack?.split('\n').filter((line) => line.startsWith('    at ')).length;

test('errors for clients have no stack, and all others keep theirs, even after work that throws', () => {
  expect(frames(withoutStacks(() => new GraphQLError('for a client')))).toBe(0);
  expect(() =>
    withoutStacks(() => {
      throw new Error('a mistake');
    }),
  ).toThrow('a mistake');
  expect(frames(new GraphQLError('elsewhere'))).toBeGreaterThan(0);
});
