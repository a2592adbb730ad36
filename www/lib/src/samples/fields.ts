/** Fields of the metadata of many samples; some may not read. */
import { valueAt } from "../base/metadata-path.js";
import { ForebayError } from "../model/errors.js";
import type { Dataset, Json, WhereOptions } from "../model/index.js";

/** Whether something is wrong with a sample, which others need not suffer from. */
export const isFault = (e: unknown): e is ForebayError =>
  e instanceof ForebayError && (e.kind === "damaged" || e.kind === "limit" || e.kind === "unsupported");

/** The fields of a sample by their paths; `null` for what it does not have. */
export type Fields = { readonly [path: string]: Json };

/** Reads fields of samples, in the order of these; one that does not read has none, and `fault` hears why. */
export async function* fieldsOf(
  dataset: Pick<Dataset, "record" | "records">,
  indexes: Uint32Array,
  fields: readonly string[],
  { signal, onProgress }: Omit<WhereOptions, "where">,
  fault: (sample: number, e: ForebayError) => void = () => {},
): AsyncGenerator<[i: number, fields: Fields], void> {
  const ends = signal ? { signal } : {};
  let done = 0;
  try {
    for await (const batch of dataset.records({ indexes, fields, ...ends, ...(onProgress && { onProgress }) }))
      for (const [k, i] of batch.indexes.entries()) {
        done++;
        yield [i, batch.records[k] as Fields];
      }
  } catch (e) {
    if (!isFault(e)) throw e;
    // One of them is damaged: the rest is read one by one.
    for (const i of indexes.subarray(done)) {
      signal?.throwIfAborted();
      const record = await dataset.record(i, ends).catch((e: unknown): null => {
        if (!isFault(e)) throw e;
        fault(i, e);
        return null;
      });
      yield [i, Object.fromEntries(fields.map((path) => [path, valueAt(record, path) ?? null]))];
      onProgress?.({ samples: ++done, totalSamples: indexes.length, bytes: 0, totalBytes: null });
    }
  }
}
