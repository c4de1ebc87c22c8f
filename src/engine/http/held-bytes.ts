/** What holds bytes until it is closed, such as a response. */
interface Holding {
  destroy(): void;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Counts the bytes that this process holds in memory for clients, such as responses that they have not read. Beyond a
 * caller's limit, its oldest holding is ended; beyond that of all together, the oldest of the caller with the most bytes.
 */
export class HeldBytes {
  readonly #limits: { readonly inAll: number; readonly ofCaller: number };
  /** In the order in which they were first added. */
  readonly #held = new Map<Holding, { readonly caller: string; bytes: number }>();
  readonly #byCaller = new Map<string, number>();
  #inAll = 0;

  constructor(limits: { readonly inAll: number; readonly ofCaller: number }) {
    this.#limits = limits;
  }

  /** Whether this many more bytes fit without ending anything. */
  fits(caller: string, bytes: number): boolean {
    const { inAll, ofCaller } = this.#limits;
    return this.#inAll + bytes <= inAll && (this.#byCaller.get(caller) ?? 0) + bytes <= ofCaller;
  }

  /** Counts more bytes until the holding is closed, and ends holdings, maybe this one, until the limits are kept. */
  add(holding: Holding, caller: string, bytes: number): void {
    const held = this.#held.get(holding);
    if (held === undefined) {
      this.#held.set(holding, { caller, bytes });
      holding.once('close', () => this.#release(holding));
    } else held.bytes += bytes;
    this.#count(caller, bytes);
    while ((this.#byCaller.get(caller) ?? 0) > this.#limits.ofCaller) this.#endOldestOf(caller);
    while (this.#inAll > this.#limits.inAll) this.#endOldestOf(this.#largest());
  }

  #release(holding: Holding): void {
    const held = this.#held.get(holding);
    if (held === undefined) return;
    this.#held.delete(holding);
    this.#count(held.caller, -held.bytes);
  }

  #count(caller: string, bytes: number): void {
    this.#inAll += bytes;
    const ofCaller = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (ofCaller > 0) this.#byCaller.set(caller, ofCaller);
    else this.#byCaller.delete(caller);
  }

  #endOldestOf(caller: string): void {
    for (const [holding, held] of this.#held) {
      if (held.caller !== caller) continue;
      this.#release(holding);
      holding.destroy();
      return;
    }
  }

  #largest(): string {
    let [largest, most] = ['', -1];
    for (const [caller, bytes] of this.#byCaller) if (bytes > most) [largest, most] = [caller, bytes];
    return largest;
  }
}
