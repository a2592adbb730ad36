import { openDataset, type OpenDataset } from "../samples/dataset.js";
import { ForebayError } from "../model/errors.js";
import { textFormatOf } from "../model/formats.js";
import type { OpenedTableFormat } from "../samples/worker-samples.js";
import type { OpenOptions, Source, TextFormat, TextReadOptions } from "../model/index.js";

/**
 * What a source holds: samples, opened, or the format of a table or text, which is opened elsewhere. Text is told by
 * the caller, or by its name once its first bytes say nothing else.
 */
export async function recognise(
  source: Source,
  options: OpenOptions,
  owned: boolean,
  from?: TextFormat,
): Promise<OpenDataset | OpenedTableFormat | TextFormat> {
  if (from !== undefined) return from;
  const named = textFormatOf(source.name);
  if (named !== undefined && source.byteLength === 0) return named;
  return openDataset(source, options, owned).catch((e: unknown) => {
    if (named !== undefined && e instanceof ForebayError && e.code === "format.unknown") return named;
    throw e;
  });
}

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
