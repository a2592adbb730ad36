/** Reads the metadata of many samples: for what must be counted or sorted by what only it knows. */
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import { trouble } from "../ui/wording.ts";

/** Reads at once, so that a source can read near ones together. */
const LANES = 48;
/** Milliseconds after which it says how far it is. */
const TOLD = 120;

/** How to walk. */
export interface WalkOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Only these. */
  readonly samples?: Uint32Array | null;
}

/** Hands over every record, in no order. One that is damaged counts as none; what the network does not bring ends it. */
export async function walkRecords(
  dataset: Dataset,
  visit: (i: number, record: Json) => void,
  { signal, onProgress, samples }: WalkOptions,
): Promise<void> {
  const total = samples ? samples.length : dataset.length;
  let [next, done, told] = [0, 0, performance.now()];
  const lane = async (): Promise<void> => {
    while (next < total) {
      const i = samples ? samples[next]! : next;
      next++;
      const record = await dataset.record(i, { signal }).catch((e: unknown) => {
        if (signal.aborted || /^(http|io)\b/.test(trouble(e).code ?? "io")) throw e;
        return null;
      });
      visit(i, record);
      done++;
      if (onProgress && performance.now() - told > TOLD) {
        told = performance.now();
        onProgress(done, total);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
