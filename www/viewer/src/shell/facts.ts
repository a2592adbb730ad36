/** What the header says of an open file, beside its name. */
import { isColumnar } from "../../../lib/src/model/formats.ts";
import type { Dataset, Table, Warehouse } from "../../../lib/src/model/index.ts";
import type { TextSource } from "../files/open-any.ts";
import { bytes, count, percent } from "../ui/wording.ts";
import type { FilterController } from "../samples/filter-controller.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/shell.ts";

/** What the samples come from: pictures of a column are in memory as a TAR, and nobody has one. */
export function shownFormat({ format, name }: Dataset): string {
  const extension = /\.([a-z]+)$/i.exec(name ?? "")?.[1]?.toLowerCase() ?? "";
  return format === "tar" && isColumnar(extension) ? extension : format;
}

/** Facts of samples. */
export function sampleFacts(dataset: Dataset, listed = false): string {
  const { length, byteLength, metadata: m } = dataset;
  const built = dataset.format === "warehouse" ? (dataset as Warehouse).manifest : null;
  const size = built?.transform.targetSize;
  const facts = [
    msg("samples", { length }),
    bytes(byteLength),
    size && `${size[0]} × ${size[1]} ${built.defaultDtype}, ${built.transform.resizeMode}`,
    m.layout && msg("layout", { layout: m.layout }),
    m.compression && m.compression !== "none" && m.compression.toUpperCase(),
    !listed && m.members !== undefined && msg("members", { members: m.members }),
  ];
  return facts.filter(Boolean).join(" · ");
}

/** Facts of a table, which may have been made of a text. */
export function tableFacts({ length, schema, byteLength, metadata: m }: Table, text: TextSource | null): string {
  const facts = [
    m.document ? msg("oneValue") : msg("rows", { length }),
    !m.document && msg("columns", { schema: schema.length }),
    bytes(text?.bytes ?? byteLength),
    !text && m.layout && msg("layout2", { layout: m.layout }),
    !text && m.groups > 1 && msg("rowGroups", { groups: m.groups }),
  ];
  return facts.filter(Boolean).join(" · ");
}

/** How many samples the filter keeps, or what is being done about that. */
export function keptWords(
  { rows, running, error }: FilterController,
  sorting: Progress | null,
  length: number,
): string {
  if (running) return common("filtering");
  if (sorting) return msg("sorting", { part: percent(sorting.done / Math.max(1, sorting.total)) });
  if (!rows.kept) return count(length);
  return error
    ? msg("filterBefore", { rows: rows.length, length })
    : msg("ofRowsLength", { rows: rows.length, length });
}
type Progress = { readonly done: number; readonly total: number };
