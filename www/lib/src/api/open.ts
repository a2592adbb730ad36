import { abortable } from "../base/abort.js";
import * as argument from "../base/arguments.js";
import { openDataset, type OpenDataset } from "../samples/dataset.js";
import { ForebayError, hostError, unopened } from "../model/errors.js";
import { isText, textFormatOf } from "../model/formats.js";
import type { SampleModule } from "../worker/protocol.js";
import { bulkModule } from "../pool/pool.js";
import { recognize } from "./recognize.js";
import { sourceOf } from "../source/sources.js";
import { checkTable, checkText, openTableIn } from "../tables/table.js";
import { NAMES, known } from "../base/option-names.js";
import type {
  CheckOptions,
  CheckReport,
  Dataset,
  Input,
  OpenOptions,
  Source,
  Table,
  TextReadOptions,
} from "../model/index.js";

/**
 * Opens a file of any format, found out by content: samples, or a table. A TBL costs two reads: header and index. A
 * TAR's headers are walked through, with progress. A TBF costs one or two reads of its end, an IDV its tables.
 *
 * ```js
 * const dataset = await open(file);
 * if (dataset.kind === "table") for await (const row of dataset.rows({ where: "age > 30" })) console.log(row.name);
 * else image.src = URL.createObjectURL(await dataset.blob(17));
 * ```
 */
export async function open(input: Input, options: OpenOptions = {}): Promise<Dataset | Table> {
  return opening(input, options, async (source, owned) => {
    const found = await openDataset(source, options, owned);
    return typeof found === "string" ? openTableIn(source, found, options, owned) : found;
  });
}

/** As {@link open}, for samples alone; a table rejects with `code` "format.not_samples". */
export async function openSamples(input: Input, options: OpenOptions = {}): Promise<Dataset> {
  return samples(input, options, () => "forebay");
}

/** As {@link openSamples}, at once in a module that converts. */
export function openToConvert(input: Input, options: OpenOptions): Promise<OpenDataset> {
  return samples(input, options, bulkModule);
}

function samples(
  input: Input,
  options: OpenOptions,
  module: (byteLength: number) => SampleModule,
): Promise<OpenDataset> {
  return opening(input, options, async (source, owned) => {
    const found = await openDataset(source, options, owned, module(source.byteLength));
    if (typeof found !== "string") return found;
    throw new ForebayError("format.not_samples", "unsupported", `this is ${found}, not a container of samples`, {
      file: source.name,
    });
  });
}

/** As {@link open}, for tables alone; samples reject with `code` "format.not_table". */
export async function openTable(input: Input, options: OpenOptions = {}): Promise<Table> {
  return opening(input, options, async (source, owned) => {
    const found = await openDataset(source, options, owned);
    if (typeof found === "string") return openTableIn(source, found, options, owned);
    found.close();
    throw hostError("format.not_table", `this is ${found.format}, which holds samples, not a table`, {
      file: source.name,
    });
  });
}

/** Makes a source of an input, and ends it where the body fails. */
export async function opening<T>(
  input: Input,
  options: OpenOptions,
  body: (source: Source, owned: boolean) => Promise<T>,
): Promise<T> {
  known(argument.options(options, "how to open"), NAMES.check, "open");
  const { signal, limits = {} } = options;
  known(argument.options(limits, "limits"), NAMES.limits, "limits");
  for (const [what, bound] of Object.entries(limits))
    if (bound !== undefined) argument.whole(bound, `the limit ${what}`, 1);
  signal?.throwIfAborted();
  const source = await abortable(sourceOf(input, options.name, options.http ?? {}, signal), signal);
  const owned = source !== input && !isSource(input);
  try {
    return await abortable(body(source, owned), signal);
  } catch (e) {
    if (owned) void source.close?.();
    const text = textFormatOf(source.name);
    if (!(e instanceof ForebayError && e.code === "format.unknown") || text === undefined) throw e;
    throw new ForebayError(
      e.code,
      e.kind,
      `${e.message}; ${text} is not opened: \`check\` reads it, and \`convert\` makes a table of it`,
      { ...e },
      e,
    );
  }
}

function isSource(input: Input): boolean {
  return typeof input === "object" && "read" in input;
}

/**
 * Checks an input that may be too damaged to be opened: then the report has that one fault, as the command's. Of CSV
 * and JSON lines every row is found that cannot be read, with its line. Rejects only if the input cannot be read or
 * is of no known format.
 */
export async function check(
  input: Input,
  options: CheckOptions & OpenOptions & TextReadOptions = {},
): Promise<CheckReport> {
  const { onProgress, ...rest } = options;
  const how: CheckOptions = {
    ...(rest.signal ? { signal: rest.signal } : {}),
    ...(onProgress ? { onProgress: onProgress as NonNullable<CheckOptions["onProgress"]> } : {}),
  };
  try {
    return await opening(input, rest, async (source, owned) => {
      const found = await recognize(source, rest, owned, rest.from);
      try {
        if (typeof found !== "string") return await found.checkOpened(how);
        return await (isText(found) ? checkText(source, found, rest, how) : checkTable(source, found, rest, how, null));
      } finally {
        if (typeof found !== "string") found.close();
        else if (owned) void source.close?.();
      }
    });
  } catch (e) {
    if (e instanceof ForebayError && (e.kind === "damaged" || e.kind === "limit")) return unopened(e);
    throw e;
  }
}
