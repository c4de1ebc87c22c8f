import { builder } from './builder.ts';

/** The field of a row that tells its version. */
export const rowVersion = {
  type: 'Int64',
  description: 'Which version of the row this is: a number that each change makes larger.',
} as const;

/** The argument by which a write is only for a row that nobody has changed meanwhile. */
export const expectedVersion = builder.args((t) => ({
  expectedVersion: t.field({
    type: ['Int64'],
    description:
      'The `version` that the row must have, or several of which it must have one: otherwise nothing happens, and the ' +
      'error is `PRECONDITION_FAILED`.',
  }),
}));
