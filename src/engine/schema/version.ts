import type { Builder } from './builder.ts';

/** The field with the version of a row. */
export const rowVersion = {
  type: 'Int64',
  description: 'The version of the row. Each change raises it.',
} as const;

/** The argument that makes a write conditional on the row's version (optimistic locking). */
export function versionArgs(builder: Builder) {
  return builder.args((t) => ({
    expectedVersion: t.field({
      type: ['Int64'],
      description:
        'The `version` that the row must have, or several of which it must have one. Otherwise nothing is changed, and the ' +
        'error is `PRECONDITION_FAILED`.',
    }),
  }));
}
