/** The metadata of the samples in sight: read once scrolling rests, kept up to a bound. */
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import { InSight } from "./in-sight.ts";

/** Records that are kept; each may be large. */
const KEPT = 600;

/** Reads records as they are wanted. What cannot be read counts as none, until somebody asks again. */
export class Records extends InSight<Json> {
  private readonly failed = new Set<number>();

  constructor(
    private readonly dataset: Dataset,
    changed: () => void,
  ) {
    super(changed);
  }
  protected override skips(i: number): boolean {
    return super.skips(i) || this.failed.has(i);
  }
  /** What failed may be there again. */
  again(): void {
    this.failed.clear();
  }
  protected read(i: number, signal: AbortSignal): Promise<Json | undefined> {
    return this.dataset.record(i, { signal }).catch(() => {
      if (!signal.aborted) this.failed.add(i);
      return undefined;
    });
  }
  protected took(): void {
    for (const old of this.kept.keys()) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(old);
    }
  }
}
