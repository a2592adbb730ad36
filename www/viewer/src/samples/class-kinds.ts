/** What kind of values the classes of a field are: labels are texts of them, and a filter compares only with their own kind. */
import type { Dataset } from "../../../lib/src/model/index.ts";
import { kindOf, looksPlain, type ValueKind } from "../ui/literals.ts";
import { valueAt } from "../ui/fields.ts";
import { walkRecords } from "./walk.ts";

/** Samples that are looked at, at even distances: files hardly ever hold one field in two kinds. */
const LOOKED_AT = 96;

/** The kinds that a field holds; of labels that can only be texts nothing is read. */
export async function classKinds(
  dataset: Dataset,
  field: string,
  labels: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<ValueKind>> {
  if (labels.every(looksPlain)) return new Set(labels.length > 0 ? ["string"] : []);
  const found = new Set<ValueKind>();
  const some = Math.min(LOOKED_AT, dataset.length);
  const samples = Uint32Array.from({ length: some }, (_, k) => Math.floor((k * dataset.length) / some));
  await walkRecords(
    dataset,
    (_, record) => {
      const kind = kindOf(valueAt(record, field));
      if (kind) found.add(kind);
    },
    { signal, samples },
  );
  return found;
}
