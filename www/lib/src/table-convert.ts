import { openDataset } from "./dataset.js";
import { ForebayError, hostError } from "./errors.js";
import type { Turn } from "./kernel.js";
import { textFormatOf } from "./formats.js";
import { opening } from "./open.js";
import { call, client } from "./pool.js";
import { pourInto } from "./pour.js";
import { OpenTable, openTableIn } from "./table.js";
import type { Input, Output, Source, Table, TableConvertOptions, TableConvertSummary, TableFormat, TextFormat } from "./types.js";

const TABLES: readonly string[] = ["tbf", "idv", "csv", "tsv", "jsonl"] satisfies TableFormat[];

/** Whether this names a format for tables. */
export function isTableFormat(to: string): to is TableFormat {
  return TABLES.includes(to);
}

/** Converts a table, or an input that holds one. */
export async function convertTable(input: Input | Table, output: Output, options: TableConvertOptions): Promise<TableConvertSummary> {
  if (input instanceof OpenTable) {
    const table = input;
    return { ...(await table.convert(output, settingsOf(options), options)), inputBytes: table.byteLength };
  }
  const { signal, from, limits, tbfSchema } = options;
  const open = { ...(signal && { signal }), ...(limits && { limits }), ...(tbfSchema && { tbfSchema }) };
  return opening(input as Input, open, async (source, owned) => {
    const text = from ?? (await textIn(source, open));
    try {
      if (text !== undefined) return await convertText(source, text, output, options);
      const table = await tableIn(source, open);
      try {
        return await convertTable(table, output, options);
      } finally {
        table.close();
      }
    } finally {
      if (owned) void source.close?.();
    }
  });
}

/** The format of a source that is text: known by its name, once its first bytes say nothing else. */
async function textIn(source: Source, open: object): Promise<TextFormat | undefined> {
  const named = textFormatOf(source.name);
  if (named === undefined) return undefined;
  if (source.byteLength === 0) return named;
  const found = await openDataset(source, open, false).catch((e: unknown) => {
    if (e instanceof ForebayError && e.code === "format.unknown") return null;
    throw e;
  });
  if (found === null) return named;
  if (typeof found !== "string") found.close();
  return undefined;
}

async function tableIn(source: Source, open: object): Promise<OpenTable> {
  const found = await openDataset(source, open, false);
  if (typeof found === "string") return openTableIn(source, found, open, false);
  found.close();
  throw hostError("format.not_table", `this is ${found.format}, which holds samples and no table`, { file: source.name });
}

/** What the module is told. */
function settingsOf({ to, columns, where = "", lossy = false, groupRows, layout, compression, types, schema, header = true, delimiter, null: word = "", onBadRow = "error", sniffRows }: TableConvertOptions): string {
  return JSON.stringify({
    to, columns, where, lossy, groupRows, dialect: layout, compression, types, ...(schema && { spec: JSON.stringify(schema) }), noHeader: !header, delimiter, null: word,
    skipBadRows: onBadRow === "skip", sniffRows,
  });
}

async function convertText(source: Source, format: TextFormat, output: Output, options: TableConvertOptions): Promise<TableConvertSummary> {
  const { limits = {}, onProgress, signal = new AbortController().signal } = options;
  const home = await client();
  const begin = () => call(home, source.name, "textConvert", [format, source.byteLength, limits, settingsOf(options)]);
  const onTurn = (turn: Turn, bytes: number) => onProgress?.({ samples: turn.done, totalSamples: null, bytes, totalBytes: source.byteLength });
  // Text is read from front to back.
  const ahead = (read: ArrayLike<number>) => {
    const [start, end] = [read[0]!, read[read.length - 1]!];
    return end < source.byteLength ? [end, Math.min(end + end - start, source.byteLength)] : null;
  };
  const told = JSON.parse(await pourInto(home, begin, source, output, { signal, onTurn, ahead })) as TableConvertSummary;
  return { ...told, inputBytes: source.byteLength };
}
