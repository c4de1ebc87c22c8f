import type { Builder } from './builder.ts';

/** The field of a row that tells its version. */
export const rowVersion = {
  type: 'Int64',
  description: 'The version of the row. Each change raises it.',
} as const;

/** The argument by which a write is only for a row that nobody has changed meanwhile. */
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
