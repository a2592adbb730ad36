import { abortable } from "../base/abort.js";
import * as argument from "../base/arguments.js";
import { reportOf } from "../base/report.js";
import { OpenDataset } from "../samples/dataset.js";
import { ShardedDataset } from "../samples/sharded.js";
import { ForebayError, hostError } from "../model/errors.js";
import type { Turn } from "../worker/protocol.js";
import { openToConvert } from "./open.js";
import { bulkModule, call } from "../pool/pool.js";
import { orGivenUp, runConversion } from "../sink/conversion.js";
import { noOutput } from "../sink/sinks.js";
import { OpenTable } from "../tables/table.js";
import { convertTable, isTableFormat } from "./convert-table.js";
import { NAMES, known, notOpened } from "../base/option-names.js";
import type {
  ConvertOptions,
  ConvertSummary,
  Dataset,
  Fault,
  Input,
  Output,
  Table,
  TableConvertOptions,
  TableConvertSummary,
} from "../model/index.js";

/**
 * Converts a dataset, sample by sample, in bounded memory. The output has the same bytes as the command's.
 * If it fails or is aborted, the sink's `abort` is called and the promise rejects.
 *
 * `showSaveFilePicker()` empties the file that is chosen in it before it gives its handle: whoever chooses the source
 * itself there has lost it, whatever is done then. A handle of a new file in a folder of `showDirectoryPicker()`, or a
 * download of a file of the origin-private file system, empties nothing. The browser puts the bytes into a new file
 * when all are written: of a page that is killed before, a file of 0 bytes stays. Under a name of its own, and with the
 * handle's `move()` at the end, it does not look like the work.
 */
export async function convert(
  source: Input | Dataset,
  output: Output,
  options: ConvertOptions,
): Promise<ConvertSummary>;
/**
 * Converts a table, batch by batch, in bounded memory: TBF, IDV, Parquet, Arrow, CSV, TSV and JSON lines into each other.
 *
 * ```js
 * await convert(file, await showSaveFilePicker(), { to: "tbf", where: "age > 30", onProgress, signal }); // people.csv
 * ```
 */
export async function convert(
  source: Input | Table,
  output: Output,
  options: TableConvertOptions,
): Promise<TableConvertSummary>;
export async function convert(
  source: Input | Dataset | Table,
  output: Output,
  options: ConvertOptions | TableConvertOptions,
): Promise<ConvertSummary | TableConvertSummary> {
  if (typeof output !== "object" || output === null) throw noOutput();
  return orGivenUp(output, options?.signal, () => converted(source, output, options));
}

async function converted(
  source: Input | Dataset | Table,
  output: Output,
  options: ConvertOptions | TableConvertOptions,
): Promise<ConvertSummary | TableConvertSummary> {
  argument.options(options, "what to convert to");
  options.signal?.throwIfAborted();
  const table = isTableFormat(options.to);
  if (!table && options.to !== "tbl" && options.to !== "tar")
    throw hostError("usage.argument", `there is no output format ${JSON.stringify(options.to)}`);
  known(options, table ? NAMES.convertTable : NAMES.convertSamples, `convert to ${options.to}`);
  if (table) return convertTable(source as Input | Table, output, options as TableConvertOptions);
  return convertSamples(source as Input | Dataset, output, options as ConvertOptions);
}

async function convertSamples(
  source: Input | Dataset,
  output: Output,
  options: ConvertOptions,
): Promise<ConvertSummary> {
  const { signal, keepGoing = false, name, limits, http, column } = options;
  if (source instanceof OpenTable)
    throw new ForebayError(
      "format.not_samples",
      "unsupported",
      `this is ${source.format}, not a container of samples`,
      { file: source.name },
    );
  if (source instanceof ShardedDataset)
    throw hostError(
      "usage.argument",
      "the command joins several files (forebay concat); here each is converted separately",
      {
        file: source.name,
      },
    );
  const given = source instanceof OpenDataset;
  if (given) notOpened(options, NAMES.samplesInput, source.name);
  const open = {
    keepGoing,
    ...(signal && { signal }),
    ...(name !== undefined && { name }),
    ...(limits && { limits }),
    ...(http && { http }),
    ...(column !== undefined && { column }),
  };
  const dataset = given ? source : await openToConvert(source as Input, open);
  try {
    // Of a growing one, the rest belongs to it, and what is wrong with the rest.
    await abortable(dataset.whole, signal);
    if (dataset.damage && !keepGoing) throw dataset.damage;
    const { chosen, faults } = await choose(dataset, options);
    const summary = await dataset.work(signal, async (client, id, inner) => {
      inner.throwIfAborted();
      return run(dataset, client, id, output, chosen, options, inner);
    });
    return { ...summary, inputBytes: dataset.byteLength, faults: [...faults, ...summary.faults] };
  } finally {
    if (!given) dataset.close();
  }
}

/** The samples to write; `null` stands for all. */
async function choose(
  dataset: OpenDataset,
  { where, indexes, signal, keepGoing, allowEmpty }: ConvertOptions,
): Promise<{ chosen: Uint32Array | null; faults: Fault[] }> {
  let chosen = indexes === undefined ? null : argument.numbers(indexes, dataset.length, "samples", dataset.name);
  const faults: Fault[] = [];
  if (where !== undefined && argument.text(where, "a filter").trim() !== "") {
    const { matches, firstFault } = await dataset.select(where, false, "", signal ? { signal } : {});
    if (firstFault) {
      // A sample that cannot be asked must not silently be missing.
      const fault = reportOf<Fault>(firstFault);
      if (!keepGoing) throw damaged(fault, dataset.name);
      faults.push(fault);
    }
    if (chosen) {
      const matching = new Set(matches);
      chosen = chosen.filter((i) => matching.has(i));
    } else {
      chosen = matches;
    }
    if (chosen.length === 0 && !allowEmpty) {
      throw new ForebayError(
        "convert.empty",
        "usage",
        "the filter selects no sample, so nothing is written; allowEmpty lets it",
        { file: dataset.name },
      );
    }
  }
  return { chosen, faults };
}

function damaged({ code, message, section, sample, offset }: Fault, file: string | undefined): ForebayError {
  return new ForebayError(code, "damaged", message, {
    file,
    section: section ?? undefined,
    sample: sample ?? undefined,
    offset: offset ?? undefined,
  });
}

type Summary = Omit<ConvertSummary, "inputBytes">;

async function run(
  dataset: OpenDataset,
  client: Parameters<typeof call>[0],
  id: number,
  output: Output,
  chosen: Uint32Array | null,
  {
    to,
    layout = "guide",
    compression = "none",
    metadataFormat = "json",
    keepGoing = false,
    onProgress,
  }: ConvertOptions,
  signal: AbortSignal,
): Promise<Summary> {
  const settings = { to, layout, compression, metadataFormat, keepGoing, source: dataset.name ?? "" };
  const total = chosen?.length ?? dataset.length;
  const begin = (most: number | undefined) => {
    // Threads share what is there at once: the more, the less they wait for each other.
    const window = bulkModule(dataset.byteLength) === "threads" ? undefined : most;
    return call(client, dataset.name, "convert", [id, JSON.stringify({ ...settings, window }), chosen]);
  };
  const onTurn = (turn: Turn, bytes: number) =>
    onProgress?.({ samples: turn.done, totalSamples: total, bytes, totalBytes: null });
  return reportOf(await runConversion(client, begin, dataset.source, output, { signal, onTurn, readsAhead: true }));
}
