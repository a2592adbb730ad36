/** Payloads that were read ahead, up to a bound; those that were longest unused make room. */
export class PayloadCache {
  readonly #kept = new Map<number, Uint8Array>();
  #bytes = 0;

  has(i: number): boolean {
    return this.#kept.has(i);
  }

  /** A copy, since what is handed out is the caller's. */
  get(i: number): Uint8Array | undefined {
    const kept = this.touch(i);
    return kept?.slice();
  }

  /** Used just now: it stays longest. */
  touch(i: number): Uint8Array | undefined {
    const kept = this.#kept.get(i);
    if (!kept) return undefined;
    this.#kept.delete(i);
    this.#kept.set(i, kept);
    return kept;
  }

  add(i: number, payload: Uint8Array, budget: number): void {
    if (this.#kept.has(i)) return;
    this.#kept.set(i, payload);
    this.#bytes += payload.byteLength;
    for (const [old, unused] of this.#kept) {
      if (this.#bytes <= budget) break;
      this.#kept.delete(old);
      this.#bytes -= unused.byteLength;
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}
