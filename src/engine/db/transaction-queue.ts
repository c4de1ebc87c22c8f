import type { Kind, Parameter, Query, RawRow } from './driver.ts';

/**
 * The statements of a transaction, in order. Reads are sent at once, behind the earlier statements. A change waits for
 * the results of all earlier statements, because it must never run before the transaction has begun. A read that fails
 * also fails the transaction: that only happens when the database is too slow or unavailable.
 */
export class TransactionQueue {
  readonly #query: Query;
  readonly #assertInTime: () => void;
  /** All statements so far; rejects when the transaction has failed. */
  #sent: Promise<unknown>;
  /** Resolves when the last change has ended, whether or not it failed. */
  #changed: Promise<unknown> = Promise.resolve();

  /** @param assertInTime called before each statement; throws after the deadline */
  constructor(query: Query, begun: Promise<unknown>, assertInTime: () => void) {
    this.#query = query;
    this.#assertInTime = assertInTime;
    this.#sent = begun;
  }

  /** Runs a statement; a change that fails is undone on its own, and the transaction goes on. */
  query(text: string, parameters: readonly Parameter[], kind: Kind): Promise<readonly RawRow[]> {
    return kind === 'write' ? this.#change(text, parameters) : this.#read(text, parameters);
  }

  async #read(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    await this.#changed;
    const rows = this.#send(text, parameters);
    this.#sent = Promise.all([this.#sent, rows]);
    this.#sent.catch(() => {});
    return rows;
  }

  #change(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    const change = this.#changed.then(() => this.#sent).then(() => this.#changeOrUndo(text, parameters));
    this.#changed = change.catch(() => {});
    return change;
  }

  async #changeOrUndo(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    try {
      // Sent together, so that the savepoint takes no round trip of its own.
      const [, rows] = await Promise.all([this.#send('savepoint statement', []), this.#send(text, parameters)]);
      return rows;
    } catch (error) {
      await this.#send('rollback to savepoint statement', []).catch(() => {
        // Then the commit fails too, so that nothing is changed: the reason is what failed first.
      });
      throw error;
    }
  }

  async #send(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    this.#assertInTime();
    return this.#query(text, parameters);
  }
}
