import { DatabaseError } from './failures.ts';

/**
 * Waits for a write, and translates a constraint violation into an error that explains it to the client.
 *
 * @param explain makes the error, if it has one for the name of the constraint, or for the SQLSTATE if no constraint is
 *   involved
 */
export async function explaining<T>(write: Promise<T>, explain: (violated: string) => Error | undefined): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw (error instanceof DatabaseError && explain(error.constraint ?? error.state)) || error;
  }
}

/** The SQLSTATE of a number outside its column's range. */
export const OUT_OF_RANGE = '22003';
