import { abortable } from "./abort.js";

/** Lets this many in at a time, in the order in which they came. */
export class Gate {
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly most: () => number) {}

  async run<T>(body: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#inside < this.most()) this.#inside++;
    else await this.#turn(signal);
    try {
      signal?.throwIfAborted();
      return await body();
    } finally {
      this.#leave();
    }
  }

  /** Waits for a place, which whoever leaves hands over. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    let enter: () => void = () => {};
    const turn = new Promise<void>((resolve) => (enter = resolve));
    this.#waiting.push(enter);
    try {
      await abortable(turn, signal);
    } catch (e) {
      const at = this.#waiting.indexOf(enter);
      if (at >= 0) this.#waiting.splice(at, 1);
      // It was handed over in the same moment.
      else this.#leave();
      throw e;
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#inside--;
  }
}
