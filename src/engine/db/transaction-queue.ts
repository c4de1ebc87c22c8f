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
  #hasSavepoint = false;

  /**
   * @param query sends a statement in the transaction
   * @param begun resolves when the transaction has begun
   * @param assertInTime called before each statement; throws after the deadline
   */
  constructor(query: Query, begun: Promise<unknown>, assertInTime: () => void) {
    this.#query = query;
    this.#assertInTime = assertInTime;
    this.#sent = begun;
  }

  /** Runs a statement; a change that fails also fails the transaction. */
  query(text: string, parameters: readonly Parameter[], kind: Kind): Promise<readonly RawRow[]> {
    return kind !== 'write' ? this.#read(text, parameters) : this.#change(() => this.#send(text, parameters));
  }

  /** Runs a statement; a change that fails is undone on its own, and the transaction goes on. */
  queryWithSavepoint(text: string, parameters: readonly Parameter[], kind: Kind): Promise<readonly RawRow[]> {
    return kind !== 'write' ? this.#read(text, parameters) : this.#change(() => this.#changeOrUndo(text, parameters));
  }

  /** Sets the savepoint of the next change. */
  async savepoint(): Promise<void> {
    await this.#read('savepoint statement', []);
    this.#hasSavepoint = true;
  }

  async #read(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    await this.#changed;
    const rows = this.#send(text, parameters);
    this.#sent = Promise.all([this.#sent, rows]);
    this.#sent.catch(() => {});
    return rows;
  }

  #change(run: () => Promise<readonly RawRow[]>): Promise<readonly RawRow[]> {
    const change = this.#changed.then(() => this.#sent).then(run);
    this.#changed = change.catch(() => {});
    return change;
  }

  async #changeOrUndo(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    if (!this.#hasSavepoint) await this.#send('savepoint statement', []);
    this.#hasSavepoint = false;
    try {
      return await this.#send(text, parameters);
    } catch (error) {
      try {
        await this.#send('rollback to savepoint statement', []);
        this.#hasSavepoint = true;
      } catch {
        // Then the commit fails too, so that nothing is changed: the reason is what failed first.
      }
      throw error;
    }
  }

  async #send(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    this.#assertInTime();
    return this.#query(text, parameters);
  }
}
