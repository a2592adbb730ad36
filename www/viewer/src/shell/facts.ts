/** What the header says of an open file, beside its name. */
import type { Dataset, Table, Warehouse } from "../../../lib/src/model/index.ts";
import type { TextSource } from "../files/open-any.ts";
import { bytes, plural } from "../ui/wording.ts";

/** Facts of samples. */
export function sampleFacts(dataset: Dataset): string {
  const { length, byteLength, metadata: m } = dataset;
  const built = dataset.format === "warehouse" ? (dataset as Warehouse).manifest : null;
  const size = built?.transform.targetSize;
  const facts = [
    plural(length, "sample"),
    bytes(byteLength),
    size && `${size[0]} × ${size[1]} ${built.defaultDtype}, ${built.transform.resizeMode}`,
    m.layout && `${m.layout} layout`,
    m.compression && m.compression !== "none" && m.compression.toUpperCase(),
    m.members !== undefined && plural(m.members, "member"),
  ];
  return facts.filter(Boolean).join(" · ");
}

/** Facts of a table, which may have been made of a text. */
export function tableFacts({ length, schema, byteLength, metadata: m }: Table, text: TextSource | null): string {
  const facts = [
    m.document ? "one value" : plural(length, "row"),
    !m.document && plural(schema.length, "column"),
    bytes(text?.bytes ?? byteLength),
    !text && m.layout && `layout ${m.layout}`,
    !text && m.groups > 1 && plural(m.groups, "row group"),
  ];
  return facts.filter(Boolean).join(" · ");
}
