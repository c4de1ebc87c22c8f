import { DatabaseError } from './failures.ts';

/**
 * Waits for a write, and translates a constraint violation into an error that explains it to the client.
 *
 * @param violations makes the errors, by name of the constraint, or by SQLSTATE if no constraint is involved
 */
export async function explaining<T>(write: Promise<T>, violations: Readonly<Record<string, () => Error>>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const explain = violations[error.constraint ?? error.state];
    throw explain === undefined ? error : explain();
  }
}

/** The SQLSTATE of a number outside its column's range. */
export const OUT_OF_RANGE = '22003';
