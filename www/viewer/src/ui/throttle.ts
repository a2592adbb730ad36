/** Work that is done again and again over something that grows takes only a part of the time. */

/** Milliseconds between two turns, at least. */
const APART = 600;
/** A turn comes after this many times the time of the last one. */
const SHARE = 4;

/** Says when the next turn is due. */
export class Throttle {
  private after = 0;
  private running = 0;

  get due(): boolean {
    return this.running === 0 && performance.now() >= this.after;
  }
  /** A turn begins; call the result when it ends. */
  start(): () => void {
    const started = performance.now();
    this.running++;
    return () => {
      this.running--;
      const now = performance.now();
      this.after = now + Math.max(APART, SHARE * (now - started));
    };
  }
}
