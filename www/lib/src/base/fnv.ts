/** FNV-1a of 64 bits, in two halves: numbers of 64 bits would be many times slower. */
export class Fnv1a {
  #high = 0xcbf29ce4;
  #low = 0x84222325;

  update(bytes: Uint8Array): this {
    let [high, low] = [this.#high, this.#low];
    for (const byte of bytes) {
      low = (low ^ byte) >>> 0;
      // Times 2^40 + 0x1b3, modulo 2^64.
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
      low = product >>> 0;
    }
    [this.#high, this.#low] = [high, low];
    return this;
  }

  /** Sixteen digits. */
  hex(): string {
    return [this.#high, this.#low].map((half) => half.toString(16).padStart(8, "0")).join("");
  }
}
