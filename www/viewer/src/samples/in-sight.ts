/** What is read of the samples in sight: the rest is given up, and of what was read only so much is kept. */

/** Reads at once, so that a source can read near ones together. */
const READS = 64;

/** Reads what is wanted, and says when there is more of it. */
export abstract class InSight<V> {
  protected readonly kept = new Map<number, V>();
  private readonly running = new Map<number, AbortController>();
  private wanted: number[] = [];
  private told = false;
  protected closed = false;

  constructor(protected readonly changed: () => void) {}

  /** Reads one; nothing where that was given up. */
  protected abstract read(i: number, signal: AbortSignal): Promise<V | undefined>;
  /** One came; makes room for it. */
  protected abstract took(i: number, value: V): void;
  /** One came too late. */
  protected drop(_value: V): void {
    // Most need not be freed.
  }
  /** It need not be read. */
  protected skips(i: number): boolean {
    return this.kept.has(i);
  }

  /** What was read of one, if it is there. */
  get(i: number): V | undefined {
    return this.kept.get(i);
  }
  /** Says which are in sight; everything else is no longer wanted. */
  want(indexes: readonly number[]): void {
    const now = new Set(indexes);
    for (const [i, controller] of this.running) if (!now.has(i)) controller.abort();
    // What was given up a moment ago, and is wanted again, begins anew.
    this.wanted = indexes.filter((i) => !this.skips(i) && this.running.get(i)?.signal.aborted !== false);
    this.pump();
  }
  /** Frees everything. */
  close(): void {
    this.closed = true;
    this.wanted = [];
    for (const controller of this.running.values()) controller.abort();
    for (const value of this.kept.values()) this.drop(value);
    this.kept.clear();
  }

  private pump(): void {
    while (!this.closed && this.running.size < READS) {
      const i = this.wanted.shift();
      if (i === undefined) return;
      const controller = new AbortController();
      this.running.set(i, controller);
      void this.read(i, controller.signal).then((value) => {
        if (this.running.get(i) === controller) this.running.delete(i);
        if (value !== undefined && !this.closed && !this.kept.has(i)) this.keep(i, value);
        else if (value !== undefined) this.drop(value);
        this.pump();
      });
    }
  }
  private keep(i: number, value: V): void {
    this.kept.set(i, value);
    this.took(i, value);
    // Several that come at once are drawn at once.
    if (this.told) return;
    this.told = true;
    requestAnimationFrame(() => {
      this.told = false;
      if (!this.closed) this.changed();
    });
  }
}
