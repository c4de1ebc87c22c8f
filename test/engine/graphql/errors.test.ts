import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { toClientError } from '../../../src/engine/graphql/errors.ts';

const originalError = new Error('a secret');

test.each([
  ['one of a resolver', originalError],
  ['one of a resolver, wrapped', new GraphQLError('a secret', { path: ['books'], originalError })],
  ['one of a resolver, wrapped without its place', new GraphQLError('a secret', { originalError })],
  // As the compiler makes it for a null that the schema does not allow.
  ['one of the execution itself', new GraphQLError('a secret', { path: ['books'] })],
])('an unforeseen error is INTERNAL, without its message: %s', (_, error) => {
  const { message, extensions } = toClientError(error);
  expect(message).not.toContain('a secret');
  expect(extensions).toMatchObject({ code: 'INTERNAL', status: 500 });
});

test('of all range errors, only a stack overflow is the mistake of the client', () => {
  const overflow = (): number => overflow() + 1;
  const codeOf = (work: () => unknown) => {
    try {
      return expect.fail(String(work()));
    } catch (error) {
      return toClientError(error).extensions.code;
    }
  };
  expect(codeOf(overflow)).toBe('INVALID_ARGUMENT');
  expect(codeOf(() => (1).toFixed(101))).toBe('INTERNAL');
});
