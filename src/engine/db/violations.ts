import { DatabaseError } from './failures.ts';

/**
 * Waits for a write, and turns the violation of a named constraint into the error that says so to a client.
 *
 * @param violations by the constraint's name, or by SQLSTATE where no constraint is involved
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

/** The SQLSTATE of a number that its column does not hold. */
export const OUT_OF_RANGE = '22003';
