/** Something whose bytes are held in memory for a client, and which can be ended. */
interface Holding {
  destroy(): void;
}

/** How many bytes are held for clients, in all and for each of them. */
interface ByteLimits {
  readonly inAll: number;
  readonly ofCaller: number;
}

interface Held {
  readonly caller: string;
  bytes: number;
}

/**
 * Counts the bytes that this process holds for clients, such as of answers that they have not read. When a caller has more than its share, what it has held longest is ended; when all have more than there is room
 * for, it is that of the caller who has the most.
 */
export class HeldBytes {
  readonly #limits: ByteLimits;
  /** What has been held longest comes first. */
  readonly #held = new Map<Holding, Held>();
  readonly #byCaller = new Map<string, number>();
  #inAll = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** Whether so many bytes more can be held for a caller without ending anything. */
  fits(caller: string, bytes: number): boolean {
    const { inAll, ofCaller } = this.#limits;
    return this.#inAll + bytes <= inAll && (this.#byCaller.get(caller) ?? 0) + bytes <= ofCaller;
  }

  holds(holding: Holding): boolean {
    return this.#held.has(holding);
  }

  /** Holds so many bytes more; it may be ended for that, or another. */
  add(holding: Holding, caller: string, bytes: number): void {
    const held = this.#held.get(holding) ?? { caller, bytes: 0 };
    this.#held.set(holding, held);
    held.bytes += bytes;
    this.#count(caller, bytes);
    while ((this.#byCaller.get(caller) ?? 0) > this.#limits.ofCaller) this.#endOldestOf(caller);
    while (this.#inAll > this.#limits.inAll) this.#endOldestOf(this.#largest());
  }

  /** Holds nothing more of it. */
  release(holding: Holding): void {
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
      this.release(holding);
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
