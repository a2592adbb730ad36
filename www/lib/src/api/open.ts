import { abortable } from "../base/abort.js";
import * as argument from "../base/arguments.js";
import { openDataset, type OpenDataset } from "../samples/dataset.js";
import { ForebayError, hostError, unopened } from "../model/errors.js";
import { isColumnar, isText, sampleFormatOf, textFormatOf } from "../model/formats.js";
import type { Elsewhere } from "../samples/open-in-worker.js";
import type { SampleModule } from "../worker/protocol.js";
import { bulkModule } from "../pool/pool.js";
import { mayList, openList } from "./open-list.js";
import { openPictures } from "./open-pictures.js";
import { isPicture, listOfPictures } from "../base/picture-kind.js";
import { recognize } from "./recognize.js";
import { addressOf, folderAround, folderOf, within, type Files } from "../source/folder.js";
import { sourceOf } from "../source/sources.js";
import { checkTable, checkText, openTableIn, type OpenTable } from "../tables/table.js";
import { openWarehouseIn } from "../warehouse/open-warehouse.js";
import { isWarehouse, type OpenWarehouse } from "../warehouse/warehouse.js";
import { ShardedDataset } from "../samples/sharded.js";
import { NAMES, known } from "../base/option-names.js";
import type {
  CheckOptions,
  CheckReport,
  Dataset,
  Folder,
  FolderFile,
  Input,
  OpenOptions,
  OpenProgress,
  Source,
  Table,
  TextReadOptions,
  Warehouse,
} from "../model/index.js";

/**
 * Opens a file of any format, found out by content: samples, or a table. A TBL costs two reads: header and index. A
 * TAR's headers are walked through, with progress. A TBF costs one or two reads of its end, an IDV its tables. A warehouse
 * is a folder, or the manifest in it by its path or address; one whose headers lie is refused unless `keepGoing` is given.
 * A folder of pictures is a dataset too: the folder that a picture lies in is its `label`.
 * A list of files, addresses or paths of samples is one dataset, of which each sample says its `shard`.
 *
 * ```js
 * const dataset = await open(file);
 * if (dataset.kind === "table") for await (const row of dataset.rows({ where: "age > 30" })) console.log(row.name);
 * else image.src = URL.createObjectURL(await dataset.blob(17));
 * ```
 */
export async function open(
  input: Input | Folder | readonly Input[],
  options: OpenOptions = {},
): Promise<Dataset | Table> {
  if (areShards(input)) return openShards(input, options);
  return opening(input, options, async (source, owned, files, at) => {
    const list = (e: unknown) => {
      // Of JSON lines by themselves nobody knows whether a table is meant.
      if (options.column === undefined && !at.listed) throw e;
      return openIfList(e, source, files, at, options, owned);
    };
    const found = await openDataset(source, options, owned).catch(list);
    return typeof found === "string" ? openElsewhere(found, source, files, options, owned) : found;
  });
}

/** Opens a list of pictures that no module knows; another error stays what it is. */
function openIfList(
  e: unknown,
  source: Source,
  files: () => Files | null,
  { file, listed }: Place,
  options: OpenOptions,
  owned: boolean,
): Promise<OpenDataset> {
  if (!listed && !mayList(e, source, options)) throw e;
  const url = addressOf(file);
  return openList(source, url, url ? null : files(), options, owned);
}

/** Opens what another module has. */
function openElsewhere(
  found: Elsewhere,
  source: Source,
  files: () => Files | null,
  options: OpenOptions,
  owned: boolean,
): Promise<OpenTable | OpenWarehouse | OpenDataset> {
  if (found === "warehouse") return openWarehouseIn(source, files(), options, owned);
  if (options.column !== undefined && isColumnar(found)) return openPictures(source, found, options, owned);
  return openTableIn(source, found, options, owned);
}

/** As {@link openSamples}, for tensor warehouses alone. */
export async function openWarehouse(input: Input | Folder, options: OpenOptions = {}): Promise<Warehouse> {
  const found = await openSamples(input as Input, options);
  if (isWarehouse(found)) return found;
  found.close();
  throw new ForebayError("usage.argument", "usage", `this is ${found.format}, and no warehouse`, { file: found.name });
}

/**
 * As {@link open}, for samples alone; a table rejects with `code` "format.not_samples", unless it is Parquet or Arrow with a
 * column of pictures, or JSON lines that name pictures by path or address: these are the samples then.
 */
export async function openSamples(
  input: Input | Folder | readonly Input[],
  options: OpenOptions = {},
): Promise<Dataset> {
  if (areShards(input)) return openShards(input, options);
  return samples(input, options, () => "forebay");
}

/** Whether a file is one of samples, by its name; one without an ending is in no folder that is opened, for its ending would say what is in it. */
const isNamedSamples = (name: string): boolean => sampleFormatOf(name) !== undefined || /^[^.]+$/.test(name);

/** Whether a list is of files of samples, and not the files of a folder. */
function areShards(input: Input | Folder | readonly Input[]): input is readonly Input[] {
  const shard = (one: Input | FolderFile): boolean =>
    typeof one === "string" ||
    (typeof one === "object" &&
      one !== null &&
      !("input" in one) &&
      (!("name" in one) || "read" in one || isNamedSamples((one as unknown as File).name)));
  return Array.isArray(input) && input.length > 0 && input.every(shard);
}

/** Files that are opened at once. */
const SHARDS = 8;

/** Opens several files as one dataset; if one cannot be opened, none is. */
async function openShards(inputs: readonly Input[], options: OpenOptions): Promise<Dataset> {
  known(argument.options(options, "how to open"), NAMES.open, "open");
  const { name, onProgress, grow: _, ...rest } = options;
  const opened: OpenDataset[] = [];
  const far: OpenProgress[] = [];
  const sum = (of: keyof OpenProgress) => far.reduce((all, one) => all + (one?.[of] ?? 0), 0);
  /** How far the files are together that were begun. */
  const telling = (k: number) => (progress: OpenProgress) => {
    far[k] = progress;
    onProgress?.({ bytes: sum("bytes"), totalBytes: sum("totalBytes"), samples: sum("samples") });
  };
  try {
    for (let k = 0; k < inputs.length; k += SHARDS) {
      const some = await Promise.allSettled(
        inputs
          .slice(k, k + SHARDS)
          .map((input, at) => samples(input, { ...rest, onProgress: telling(k + at) }, () => "forebay")),
      );
      for (const one of some) if (one.status === "fulfilled") opened.push(one.value);
      for (const one of some) if (one.status === "rejected") throw one.reason;
    }
    return new ShardedDataset(opened, name);
  } catch (e) {
    for (const dataset of opened) dataset.close();
    throw e;
  }
}

/** As {@link openSamples}, at once in a module that converts. */
export function openToConvert(input: Input, options: OpenOptions): Promise<OpenDataset> {
  return samples(input, options, bulkModule);
}

function samples(
  input: Input | Folder,
  options: OpenOptions,
  module: (byteLength: number) => SampleModule,
): Promise<OpenDataset> {
  return opening(input, options, async (source, owned, files, at) => {
    const found = await openDataset(source, options, owned, module(source.byteLength)).catch((e: unknown) =>
      openIfList(e, source, files, at, options, owned),
    );
    if (typeof found !== "string") return found;
    if (found === "warehouse") return openWarehouseIn(source, files(), options, owned);
    if (isColumnar(found)) return openPictures(source, found, options, owned);
    throw new ForebayError("format.not_samples", "unsupported", `this is ${found}, not a container of samples`, {
      file: source.name,
    });
  });
}

/** As {@link open}, for tables alone; samples reject with `code` "format.not_table". */
export async function openTable(input: Input, options: OpenOptions = {}): Promise<Table> {
  return opening(input, options, async (source, owned) => {
    const found = await openDataset(source, options, owned);
    if (typeof found === "string" && found !== "warehouse") return openTableIn(source, found, options, owned);
    if (typeof found !== "string") found.close();
    const format = typeof found === "string" ? found : found.format;
    throw hostError("format.not_table", `this is ${format}, which holds samples, not a table`, {
      file: source.name,
    });
  });
}

/** The usual name of a manifest. */
const MANIFEST = "manifest.json";

/** Of paths the ones that lie least deep. */
function leastDeep(paths: readonly string[]): string[] {
  const depth = (path: string) => path.split("/").length;
  const least = paths.reduce((all, path) => Math.min(all, depth(path)), Infinity);
  return paths.filter((path) => depth(path) === least);
}

/**
 * The manifest of a folder that has one, or one in the folders of it, else a list of pictures, else a list that is made of the
 * pictures in it; and the folder that it lies in.
 */
async function manifestIn(folder: Files): Promise<[Input, Files, listed: Place["listed"]]> {
  const all = await folder.list();
  const manifests = leastDeep(all.filter((path) => path === MANIFEST || path.endsWith(`/${MANIFEST}`)));
  const lists = manifests.length > 0 ? [] : leastDeep(all.filter((path) => textFormatOf(path) === "jsonl"));
  const [path, other] = [...manifests, ...lists];
  if (path === undefined) {
    const samples = all.find((path) => sampleFormatOf(path) !== undefined);
    const pictures = samples === undefined ? all.filter(isPicture) : [];
    if (pictures.length > 0) return [listOfPictures(pictures), folder, "made"];
    const instead = samples === undefined ? "" : `; give one of its files, such as ${samples}`;
    throw hostError(
      "usage.argument",
      `there is no dataset in the folder: neither ${MANIFEST} of a warehouse, nor a list of images (.jsonl), nor images alone${instead}`,
      { file: folder.name },
    );
  }
  if (other !== undefined) {
    const what = lists.length > 0 ? "lists of images" : "warehouses";
    throw hostError(
      "usage.argument",
      `there are several ${what} in the folder, such as ${path} and ${other}: give one`,
      {
        file: folder.name,
      },
    );
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  const files = within(folder, path.slice(0, -name.length));
  const manifest = await files.find(name);
  if (manifest === null) throw hostError("io", "the manifest is gone", { file: path });
  return [manifest, files, lists.length > 0];
}

/** Where a file was found. */
interface Place {
  readonly file: Input;
  /** It is the list of pictures of the folder that was given, or was made of what lies there. */
  readonly listed: boolean | "made";
}

/** Makes a source of an input, and ends it where the body fails. The body may ask for the folder around it. */
export async function opening<T>(
  input: Input | Folder,
  options: OpenOptions,
  body: (source: Source, owned: boolean, files: () => Files | null, at: Place) => Promise<T>,
  names: readonly string[] = NAMES.open,
): Promise<T> {
  known(argument.options(options, "how to open"), names, "open");
  const { signal, limits = {} } = options;
  known(argument.options(limits, "limits"), NAMES.limits, "limits");
  for (const [what, bound] of Object.entries(limits))
    if (bound !== undefined) argument.whole(bound, `the limit ${what}`, 1);
  signal?.throwIfAborted();
  const folder = await abortable(folderOf(input), signal);
  const [file, beside, listed] = folder
    ? await abortable(manifestIn(folder), signal)
    : ([input as Input, null, false] as const);
  const name = options.name ?? (listed === "made" ? folder?.name : undefined);
  const source = await abortable(sourceOf(file, name, options.http ?? {}, signal), signal);
  const owned = source !== file && !isSource(file);
  try {
    return await abortable(
      body(source, owned, () => beside ?? folderAround(file), { file, listed }),
      signal,
    );
  } catch (e) {
    if (owned) void source.close?.();
    const text = textFormatOf(source.name);
    if (!(e instanceof ForebayError && e.code === "format.unknown") || text === undefined) throw e;
    const lists = text === "jsonl" ? ", or `openSamples` samples, if its lines name images" : "";
    throw new ForebayError(
      e.code,
      e.kind,
      `${e.message}; ${text} is not opened: \`check\` reads it, and \`convert\` makes a table of it${lists}`,
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
  input: Input | Folder,
  options: CheckOptions & OpenOptions & TextReadOptions = {},
): Promise<CheckReport> {
  const { onProgress, ...rest } = argument.options(options, "how to check");
  const how: CheckOptions = {
    ...(rest.signal ? { signal: rest.signal } : {}),
    ...(onProgress ? { onProgress: onProgress as NonNullable<CheckOptions["onProgress"]> } : {}),
  };
  try {
    const checked = async (
      source: Source,
      owned: boolean,
      files: () => Files | null,
      { file, listed }: Place,
    ): Promise<CheckReport> => {
      const kind =
        listed === "made"
          ? await openList(source, addressOf(file), files(), rest, owned)
          : await recognize(source, rest, owned, rest.from);
      const found = kind === "warehouse" ? await openWarehouseIn(source, files(), rest, owned, true) : kind;
      try {
        if (typeof found !== "string") return await found.checkOpened(how);
        return await (isText(found) ? checkText(source, found, rest, how) : checkTable(source, found, rest, how, null));
      } finally {
        if (typeof found !== "string") found.close();
        else if (owned) void source.close?.();
      }
    };
    return await opening(input, rest, checked, NAMES.check);
  } catch (e) {
    if (e instanceof ForebayError && (e.kind === "damaged" || e.kind === "limit")) return unopened(e);
    throw e;
  }
}
