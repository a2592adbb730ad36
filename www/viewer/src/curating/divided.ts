/** Parts of a dataset as other programs take them. */
import { csvLine } from "../ui/copied.ts";
import type { Dataset, Divided, Json } from "../../../lib/src/model/index.ts";

/** Which sample is in which part, in the order of the samples. */
function partOfEach({ parts }: Divided): [i: number, part: string][] {
  const all = parts.flatMap(({ part, samples }) => Array.from(samples, (i): [number, string] => [i, part]));
  return all.sort(([a], [b]) => a - b);
}

/** The list of `forebay split --list`: number, name and part of every sample. */
export async function partsCsv(dataset: Dataset, divided: Divided, signal: AbortSignal): Promise<Blob> {
  const each = partOfEach(divided);
  const names = new Map<number, string>();
  if (dataset.format !== "tar") {
    const indexes = Uint32Array.from(each, ([i]) => i);
    for await (const batch of dataset.records({ indexes, fields: ["name"], signal }))
      for (const [k, i] of batch.indexes.entries()) {
        const { name } = batch.records[k] as { name?: Json };
        if (typeof name === "string") names.set(i, name);
      }
  }
  const lines = each.map(([i, part]) => csvLine([String(i), names.get(i) ?? dataset.nameOf(i) ?? "", part]));
  return new Blob([csvLine(["i", "name", "part"]), ...lines], { type: "text/csv" });
}

/** The part of each sample as its tag. */
export const partsTags = (divided: Divided): [number, string[]][] =>
  partOfEach(divided).map(([i, part]) => [i, [part]]);
