import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/engine/errors.ts';
import { toOutcome } from '../../../src/engine/graphql/reply.ts';

test.each([
  ['a temporary one, because the whole request may be retried', ['VALIDATION_FAILED', 'IDEMPOTENCY_CONFLICT'], 1],
  ['of several temporary ones, that with the highest status', ['IDEMPOTENCY_CONFLICT', 'NOT_FOUND', 'INTERNAL'], 2],
  ['otherwise the one with the highest status', ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT'], 1],
] as const)('of several errors, one stands for the whole response: %s', (_, codes, expected) => {
  const errors = codes.map((code) => new ServiceError(code, 'It failed.'));
  const { error } = toOutcome({ errors }, 'application/json');
  expect(error).toBe(errors[expected]);
});
