import { expect, test } from 'vitest';
import { DatabaseError } from '../../src/engine/db/violations.ts';
import { ServiceError } from '../../src/engine/errors.ts';
import { operatorMessage } from '../../src/process/operator-message.ts';

const cause = new Error('read ECONNRESET');

test.each([
  [new ServiceError('UNAVAILABLE', 'The database does not answer.', { cause }), ' (read ECONNRESET)'],
  [new ServiceError('UNAVAILABLE', 'The database does not answer.'), ''],
  // The message has it already.
  [new DatabaseError('relation "pets" does not exist', '42P01', undefined, cause), ''],
])('the operator learns the cause that a client does not: %s', (error, addition) => {
  expect(operatorMessage(error)).toBe(error.message + addition);
});
