import type { Parameter, Query, RawRow, TransactionWork } from './driver.ts';
import { unavailable } from './violations.ts';

export const COMMIT = 'commit';

/** Sends a statement on one connection. The command is the first word of PostgreSQL's command tag, such as INSERT. */
export type Send = (
  text: string,
  parameters: readonly Parameter[],
) => Promise<{ readonly rows: readonly RawRow[]; readonly command: string }>;

/**
 * Runs the work in a transaction, which is rolled back if the work rejects. Rejects statements that the work sends after
 * its end.
 *
 * @param onLost is called when the rollback fails: the transaction may still be open, and the next one on the
 *   connection would commit it
 */
export async function transact<T>(send: Send, work: TransactionWork<T>, onLost = () => {}): Promise<T> {
  let hasEnded = false;
  const query: Query = async (text, parameters) => {
    if (hasEnded) throw new Error('The transaction has ended.');
    const { rows } = await send(text, parameters);
    return rows;
  };
  try {
    const begun = query('begin', []);
    const [result] = await Promise.all([work(query, begun), begun]).finally(() => {
      hasEnded = true;
    });
    const { command } = await send(COMMIT, []);
    // The server rolls back a transaction in which a statement has failed, and reports no error.
    if (command !== 'COMMIT') throw unavailable(new Error(`The transaction ended with ${command}.`));
    return result;
  } catch (error) {
    await send('rollback', []).catch(onLost);
    throw error;
  }
}
