import * as argument from "../base/arguments.js";
import { NAMES, notOpened } from "../base/option-names.js";
import { reportOf } from "../base/report.js";
import { OpenDataset } from "../samples/dataset.js";
import { ShardedDataset } from "../samples/sharded.js";
import { hostError } from "../model/errors.js";
import type { Turn } from "../worker/protocol.js";
import { opening } from "./open.js";
import { call, client } from "../pool/pool.js";
import { runConversion } from "../sink/conversion.js";
import { isText, writtenTables } from "../model/formats.js";
import { textSettings } from "../tables/text-options.js";
import { recognize } from "./recognize.js";
import { OpenTable, openTableIn, tableModule } from "../tables/table.js";
import type {
  Input,
  Output,
  Source,
  Table,
  TableConvertOptions,
  TableConvertSummary,
  TableFormat,
  TextFormat,
} from "../model/index.js";

/** Whether this names a format for tables. */
export function isTableFormat(to: string): to is TableFormat {
  return writtenTables.includes(to as TableFormat);
}

/** Converts a table, or an input that holds one. */
export async function convertTable(
  input: Input | Table,
  output: Output,
  options: TableConvertOptions,
): Promise<TableConvertSummary> {
  if (input instanceof OpenDataset) throw noTable(input.format, input.name);
  if (input instanceof ShardedDataset) throw noTable(input.format, input.name);
  if (input instanceof OpenTable) {
    notOpened(options, NAMES.tableInput, input.name);
    return convertOpen(input, output, options);
  }
  const { signal, from, name, limits, http, tbfSchema } = options;
  const open = {
    ...(signal && { signal }),
    ...(name !== undefined && { name }),
    ...(limits && { limits }),
    ...(http && { http }),
    ...(tbfSchema && { tbfSchema }),
  };
  return opening(input as Input, open, async (source, owned) => {
    try {
      const found = await recognize(source, open, false, from);
      if (typeof found !== "string") {
        found.close();
        throw noTable(found.format, source.name);
      }
      if (found === "warehouse") throw noTable(found, source.name);
      if (isText(found)) return await convertText(source, found, output, options);
      const table = await openTableIn(source, found, open, false);
      try {
        return await convertOpen(table, output, options);
      } finally {
        table.close();
      }
    } finally {
      if (owned) void source.close?.();
    }
  });
}

async function convertOpen(
  table: OpenTable,
  output: Output,
  options: TableConvertOptions,
): Promise<TableConvertSummary> {
  const chosen = chosenBy(options, table.length, table.name);
  const summary = await table.convert(output, settingsOf(options), chosen, options);
  return { ...summary, inputBytes: table.byteLength };
}

const noTable = (format: string, file: string | undefined) =>
  hostError("format.not_table", `this is ${format}, which holds samples, not a table`, { file });

/** The rows that are wanted, in the input's order; `null` stands for all. How many rows a text has is not known yet. */
function chosenBy({ indexes }: TableConvertOptions, rows: number, file: string | undefined): Uint32Array | null {
  return indexes === undefined ? null : argument.numbers(indexes, rows, "rows", file).sort();
}

/** What the module is told. */
function settingsOf({
  to,
  columns,
  where = "",
  lossy = false,
  groupRows,
  layout,
  compression,
  onBadRow = "error",
  ...text
}: TableConvertOptions): string {
  if (onBadRow !== "error" && onBadRow !== "skip")
    throw hostError("usage.argument", `a bad row is an "error" or one to "skip", not ${JSON.stringify(onBadRow)}`);
  return JSON.stringify({
    to,
    columns,
    where,
    lossy,
    groupRows,
    dialect: layout,
    compression,
    skipBadRows: onBadRow === "skip",
    ...textSettings(text),
  });
}

async function convertText(
  source: Source,
  format: TextFormat,
  output: Output,
  options: TableConvertOptions,
): Promise<TableConvertSummary> {
  const { limits = {}, onProgress, signal = new AbortController().signal } = options;
  const worker = await client();
  const begin = () =>
    call(worker, source.name, "textConvert", [
      format,
      source.byteLength,
      limits,
      settingsOf(options),
      chosenBy(options, Infinity, source.name),
      tableModule(options.to),
    ]);
  const onTurn = (turn: Turn, bytes: number) =>
    onProgress?.({ samples: turn.done, totalSamples: null, bytes, totalBytes: source.byteLength });
  // Text is read from front to back.
  const ahead = (read: ArrayLike<number>) => {
    const [start, end] = [read[0]!, read[read.length - 1]!];
    return end < source.byteLength ? [end, Math.min(end + end - start, source.byteLength)] : null;
  };
  const summary = reportOf<TableConvertSummary>(
    await runConversion(worker, begin, source, output, { signal, onTurn, ahead }),
  );
  return { ...summary, inputBytes: source.byteLength };
}
