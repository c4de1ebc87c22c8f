import type { Kind, Parameter, Query, RawRow } from './driver.ts';

/**
 * The statements of a transaction, one after another. What only reads is sent at once behind what was sent before it; a
 * change waits until all before it has been answered, for it must never run where the transaction has not begun. A read that
 * fails takes the transaction with it, for it does so only where the database is too slow or away.
 */
export class TransactionQueue {
  readonly #send: Query;
  readonly #assertInTime: () => void;
  /** All that was sent; rejects when the transaction cannot go on. */
  #sent: Promise<unknown>;
  /** The last change, whether it stands or not. */
  #changed: Promise<unknown> = Promise.resolve();
  #isAnnotated = false;

  /**
   * @param send sends a statement in the transaction
   * @param begun when it has begun
   * @param assertInTime throws when nobody waits any more: asked before each statement
   */
  constructor(send: Query, begun: Promise<unknown>, assertInTime: () => void) {
    this.#send = send;
    this.#assertInTime = assertInTime;
    this.#sent = begun;
  }

  /** Runs a statement; a change that fails takes the transaction with it. */
  query(text: string, parameters: readonly Parameter[], kind: Kind): Promise<readonly RawRow[]> {
    return kind !== 'write' ? this.#read(text, parameters) : this.#change(() => this.#ask(text, parameters));
  }

  /** Runs a statement; a change that fails is undone alone. */
  undoneAlone(text: string, parameters: readonly Parameter[], kind: Kind): Promise<readonly RawRow[]> {
    return kind !== 'write' ? this.#read(text, parameters) : this.#change(() => this.#try(text, parameters));
  }

  /** Marks the place to which the next change is undone when it fails. */
  async savepoint(): Promise<void> {
    await this.#read('savepoint statement', []);
    this.#isAnnotated = true;
  }

  async #read(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    await this.#changed;
    const rows = this.#ask(text, parameters);
    this.#sent = Promise.all([this.#sent, rows]);
    this.#sent.catch(() => {});
    return rows;
  }

  #change(run: () => Promise<readonly RawRow[]>): Promise<readonly RawRow[]> {
    const change = this.#changed.then(() => this.#sent).then(run);
    this.#changed = change.catch(() => {});
    return change;
  }

  async #try(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    if (!this.#isAnnotated) await this.#ask('savepoint statement', []);
    this.#isAnnotated = false;
    try {
      return await this.#ask(text, parameters);
    } catch (error) {
      await this.#ask('rollback to savepoint statement', []);
      this.#isAnnotated = true;
      throw error;
    }
  }

  async #ask(text: string, parameters: readonly Parameter[]): Promise<readonly RawRow[]> {
    this.#assertInTime();
    return this.#send(text, parameters);
  }
}
