/** The metadata of the samples in sight: read once scrolling rests, kept up to a bound. */
import type { Dataset, Json } from "../../../lib/src/model/index.ts";

/** Records that are kept; each may be large. */
const KEPT = 600;
/** Reads at once, so that a source can read near ones together. */
const READS = 64;

/** Reads records as they are wanted. What cannot be read counts as none, until somebody asks again. */
export class Records {
  private readonly kept = new Map<number, Json>();
  private readonly running = new Map<number, AbortController>();
  private readonly failed = new Set<number>();
  private wanted: readonly number[] = [];
  private told = false;
  private closed = false;

  constructor(
    private readonly dataset: Dataset,
    private readonly changed: () => void,
  ) {}

  /** The record of a sample; `undefined` while it is not known. */
  get(i: number): Json | undefined {
    return this.kept.get(i);
  }
  /** Says which are in sight; everything else is no longer wanted. */
  want(indexes: readonly number[]): void {
    const now = new Set(indexes);
    for (const [i, controller] of this.running) if (!now.has(i)) controller.abort();
    // What was given up a moment ago, and is wanted again, begins anew.
    const isWanted = (i: number): boolean => this.running.get(i)?.signal.aborted !== false;
    this.wanted = indexes.filter((i) => !this.kept.has(i) && !this.failed.has(i) && isWanted(i));
    this.pump();
  }
  /** What failed may be there again. */
  again(): void {
    this.failed.clear();
  }
  close(): void {
    this.closed = true;
    this.wanted = [];
    for (const controller of this.running.values()) controller.abort();
    this.kept.clear();
  }

  private pump(): void {
    while (!this.closed && this.wanted.length > 0 && this.running.size < READS) {
      const [i, ...rest] = this.wanted as readonly [number, ...number[]];
      this.wanted = rest;
      const controller = new AbortController();
      this.running.set(i, controller);
      this.dataset
        .record(i, { signal: controller.signal })
        .then(
          (record) => this.keep(i, record),
          () => !controller.signal.aborted && this.failed.add(i),
        )
        .finally(() => {
          if (this.running.get(i) === controller) this.running.delete(i);
          this.pump();
        });
    }
  }
  private keep(i: number, record: Json): void {
    if (this.closed) return;
    this.kept.set(i, record);
    for (const old of this.kept.keys()) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(old);
    }
    // Several that come at once are drawn at once.
    if (this.told) return;
    this.told = true;
    requestAnimationFrame(() => {
      this.told = false;
      if (!this.closed) this.changed();
    });
  }
}
