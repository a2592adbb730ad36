import type { TextFormat, TextReadOptions } from "../model/index.js";

/** Whether a format is one of text. */
export const isText = (format: string): format is TextFormat =>
  format === "csv" || format === "tsv" || format === "jsonl";

/** How text is read, as the module is told. */
export const textSettings = ({
  types,
  schema,
  header = true,
  delimiter,
  null: word = "",
  sniffRows,
}: TextReadOptions) => ({
  types,
  ...(schema && { spec: JSON.stringify(schema) }),
  noHeader: !header,
  delimiter,
  null: word,
  sniffRows,
});
