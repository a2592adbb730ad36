/** A dataset as it would be with its edits, for what reads the records of some of its samples. */
import type { Dataset, Edits, RecordsOptions } from "../../../lib/src/model/index.ts";
import type { History } from "./history.ts";

/** What of a dataset its labels are made of. */
type LabelSource = Pick<Dataset, "kind" | "format" | "name" | "length" | "document" | "info" | "nameOf" | "records">;

/** Some samples of it, or all, without those that were removed; and the labels' side of a dataset in which they are as they were edited. */
export function editedDataset(data: Dataset, edits: Edits, history: History, wanted: ArrayLike<number> | null) {
  const all = wanted ? Array.from(wanted) : Array.from({ length: data.length }, (_, i) => i);
  const indexes = all.filter((i) => !history.isRemoved(i));
  const dataset: LabelSource = {
    kind: data.kind,
    format: data.format,
    name: data.name,
    length: data.length,
    document: async (options) => ({ ...(await data.document(options)), ...history.document }),
    info: (i) => data.info(i),
    nameOf: (i) => history.nameOf(i) ?? data.nameOf(i),
    async *records(options: RecordsOptions = {}) {
      for await (const { indexes, records } of data.records(options)) {
        const changed = await Promise.all(
          records.map((record, k) => (history.has(indexes[k]!) ? edits.record(indexes[k]!) : record)),
        );
        yield { indexes, records: changed };
      }
    },
  };
  return { dataset: dataset as Dataset, indexes };
}
