/** Reads the metadata of many samples: for what must be counted or sorted by what only it knows. */
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import { trouble } from "../ui/wording.ts";

/** Samples that are asked for together. */
const TOGETHER = 4096;
/** Reads at once where one of those is damaged. */
const LANES = 48;
/** Milliseconds after which it says how far it is. */
const TOLD = 120;

/** How to walk. */
export interface WalkOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Only these. */
  readonly samples?: Uint32Array | null;
  /** Only these fields, so that the rest of large records stays where it is; they are not handed over by their paths alone. */
  readonly fields?: readonly string[];
}

/** Hands over every record, in no order. One that is damaged counts as none; what the network does not bring ends it. */
export async function walkRecords(
  dataset: Dataset,
  visit: (i: number, record: Json) => void,
  { signal, onProgress, samples, fields }: WalkOptions,
): Promise<void> {
  const total = samples ? samples.length : dataset.length;
  let [done, told] = [0, performance.now()];
  const take = (i: number, record: Json): void => {
    visit(i, record);
    done++;
    if (!onProgress || performance.now() - told <= TOLD) return;
    told = performance.now();
    onProgress(done, total);
  };
  // What the network does not bring is thrown again; of what is damaged there is nothing.
  const nothing = (e: unknown): null => {
    if (signal.aborted || /^(http|io)\b/.test(trouble(e).code ?? "io")) throw e;
    return null;
  };
  while (done < total) {
    const [from, to] = [done, Math.min(total, done + TOGETHER)];
    const some = samples ? samples.subarray(from, to) : Uint32Array.from({ length: to - from }, (_, k) => from + k);
    try {
      for await (const { indexes, records } of dataset.records({ indexes: some, signal, ...(fields && { fields }) }))
        for (const [k, i] of indexes.entries()) take(i, records[k] ?? null);
    } catch (e) {
      nothing(e);
      // One of them is damaged: the others are read by themselves.
      const left = some.subarray(done - from);
      let next = 0;
      const lane = async (): Promise<void> => {
        while (next < left.length) {
          const i = left[next++]!;
          take(i, await dataset.record(i, { signal }).catch(nothing));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    }
  }
}
