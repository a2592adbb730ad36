/**
 * The WebAssembly modules behind numbered handles: what a worker runs, and the caller's thread if there are
 * no workers. What waits for files takes its time, everything else is done at once.
 */
import * as columns from "../../wasm/columns.js";
import * as wasm from "../../wasm/forebay.js";
import * as labels from "../../wasm/labels.js";
import * as pixels from "../../wasm/pixels.js";
import * as samples from "../../wasm/samples.js";
import * as tables from "../../wasm/tables.js";
import * as threaded from "../../wasm/threads.js";
import { SequentialReader } from "./sequential-reader.js";
import { RecordWalk } from "./record-walk.js";
import { RemoteReader, serveReading } from "./remote-reader.js";
import { memoryBytes } from "./bindings.js";
import {
  closeOutput,
  flushOutput,
  openOutput,
  outputLength,
  outputThrough,
  readOutput,
  serveOutput,
  truncateOutput,
  writeOutput,
} from "./outputs.js";
import type {
  Opened,
  OpenedLabels,
  OpenedTable,
  Patch,
  SampleModule,
  Selected,
  TableModule,
  Turn,
} from "./protocol.js";
import type { Chunk, Reading } from "../source/ranges.js";
import { scanBytes, widened } from "../source/scan.js";
import { thumbnailOf, thumbnailOfPixels } from "./thumbnails.js";
import { stepped, turnOf, written, type Handle, type Work } from "./steps.js";
import type { IndexColumns, Limits } from "../model/index.js";

export { failure, load, serve } from "./bindings.js";

/** Kinds of tensors that are kept ready, each with its buffers. */
const KINDS = 8;
const kinds = new Map<string, pixels.Tensors>();

/** What makes tensors of this kind; the one that was longest unused makes room. */
function tensorsOf(kind: string): pixels.Tensors {
  const one = kinds.get(kind) ?? new pixels.Tensors(kind);
  kinds.delete(kind);
  kinds.set(kind, one);
  for (const [old, unused] of kinds) {
    if (kinds.size <= KINDS) break;
    unused.free();
    kinds.delete(old);
  }
  return one;
}

const handles = new Map<number, Handle>();
let last = 0;

function keep(handle: Handle): number {
  handles.set(++last, handle);
  return last;
}

function get<T extends Handle>(id: number): T {
  const handle = handles.get(id);
  // Somebody closed the dataset under the work; as what the module throws, so that it is not taken for a trap.
  if (!handle) throw JSON.stringify({ code: "dataset.closed", kind: "usage", message: "the dataset was closed" });
  return handle as T;
}

/** A tensor of a warehouse. */
type WarehouseValues = Float32Array | Uint16Array | Uint8Array;

function columnsOf(dataset: wasm.Dataset, from = 0): IndexColumns {
  const n = Math.max(0, dataset.length - from);
  const columns: IndexColumns = {
    width: new Uint32Array(n),
    height: new Uint32Array(n),
    bytes: new Float64Array(n),
    storedBytes: new Float64Array(n),
    offset: new Float64Array(n),
    format: new Uint8Array(n),
    codec: new Uint8Array(n),
  };
  const c = columns;
  dataset.columns(from, c.width, c.height, c.bytes, c.storedBytes, c.offset, c.format, c.codec);
  return columns;
}

const readers: Record<SampleModule, { Opener: typeof wasm.Opener; parseFilter(where: string): string }> = {
  forebay: wasm,
  samples,
  labels,
  threads: threaded,
};

const tableMakers: Record<TableModule, Pick<typeof tables, "TableOpener" | "TableChecker" | "TableConverter">> = {
  tables,
  columns,
};

/** What looks at pictures, with its buffers. */
let looker: pixels.Looker | undefined;

/** Labels that were read, kept. */
const openedLabels = (set: labels.LabelSet): OpenedLabels => ({
  labels: keep(set),
  about: set.about(),
  length: set.length,
});

/** Work that reads for itself is at it for this many milliseconds before it tells how far it is. */
const MOMENT = 30;
/** The files that are read here, by the work that they are read for. */
const readings = new Map<number, Reading>();

/** The operations, by name: the whole protocol between the two sides. */
export const operations = {
  opener(length: number, limits: Limits, keepGoing: boolean, kept: Uint8Array | null, module: SampleModule): number {
    const opener = new readers[module].Opener(length, limits, keepGoing);
    if (kept) opener.useKept(kept);
    return keep(opener);
  },
  /** The opened file, or what is known of a growing one. `into` is what it was so far: then only what is new comes. */
  opened(id: number, into: number, from: number, growing: boolean): Opened | null {
    const opener = get<wasm.Opener>(id);
    const found = growing ? opener.soFar() : opener.finish();
    if (!found) return null;
    const known = into === 0 ? found : get<wasm.Dataset>(into);
    if (known !== found) known.replace(found);
    return {
      dataset: into === 0 ? keep(known) : into,
      about: known.about(),
      damage: known.damage() ?? null,
      columns: columnsOf(known, from),
      names: known.names(from, known.length) ?? null,
    };
  },
  /** Reads a manifest: what it says, and where its shards are. */
  warehouseManifest(bytes: Uint8Array, limits: Limits): { handle: number; paths: string[]; about: string } {
    const manifest = new samples.WarehouseManifest(bytes, limits);
    return { handle: keep(manifest), paths: manifest.paths(), about: manifest.about() };
  },
  warehouseOpener: (manifest: number, lengths: Float64Array, keepGoing: boolean): number =>
    keep(new samples.WarehouseOpener(get<samples.WarehouseManifest>(manifest), lengths, keepGoing)),
  warehouseOpened(id: number): Opened {
    const dataset = get<samples.WarehouseOpener>(id).finish();
    return { dataset: keep(dataset), about: dataset.about(), damage: null, columns: columnsOf(dataset), names: null };
  },
  warehouseSample: (id: number, i: number): string => get<samples.Dataset>(id).warehouseSample(i),
  warehouseRuns: (id: number): string => get<samples.Dataset>(id).warehouseRuns(),
  warehouseSurvey: (id: number, pictures: number): number => keep(get<samples.Dataset>(id).survey(pictures)),
  warehouseDrift: (old: string, now: string): string => samples.warehouseDrift(old, now),
  warehouseTensor: (id: number, i: number, bytes: Uint8Array, dtype: string): WarehouseValues =>
    get<samples.Dataset>(id).warehouseTensor(i, bytes, dtype) as WarehouseValues,
  warehousePicture(id: number, i: number, bytes: Uint8Array): { pixels: Uint8Array; content: number[] } {
    const found = get<samples.Dataset>(id).warehousePicture(i, bytes);
    // Four numbers stand behind the pixels.
    const pixels = found.length - 16;
    const view = new DataView(found.buffer, found.byteOffset + pixels);
    return { pixels: found, content: [0, 4, 8, 12].map((at) => view.getUint32(at, true)) };
  },
  kept: (id: number, length: number): Uint8Array | null => get<wasm.Dataset>(id).kept(length) ?? null,
  plan: (id: number, i: number): Float64Array => get<wasm.Dataset>(id).plan(i),
  decode(id: number, i: number, bytes: Uint8Array, verify: boolean): Uint8Array {
    const dataset = get<wasm.Dataset>(id);
    const payload = dataset.decode(i, bytes, verify);
    return payload ?? bytes;
  },
  /** The ranges of several samples. */
  plans: (id: number, indexes: number[]): Float64Array[] => indexes.map((i) => get<wasm.Dataset>(id).plan(i)),
  /** The payloads of several samples; `null` for one that is damaged, of which whoever asks for it will hear. */
  decodes(id: number, indexes: number[], stored: Uint8Array[]): (Uint8Array | null)[] {
    return indexes.map((i, k) => {
      try {
        return get<wasm.Dataset>(id).decode(i, stored[k]!, true) ?? stored[k]!;
      } catch (e) {
        // A module that failed says so; a string is what it threw.
        if (typeof e !== "string") throw e;
        return null;
      }
    });
  },
  record: (id: number, i: number): number => keep(get<wasm.Dataset>(id).record(i)),
  /** The records of these samples, this many at a time, or of each only the fields that are named. */
  records: (id: number, indexes: Uint32Array, size: number, fields: string[] | null): number =>
    keep(new RecordWalk(get<wasm.Dataset>(id), indexes, size, fields)),
  document: (id: number): number => keep(get<wasm.Dataset>(id).document()),
  select: (id: number, where: string, stats: boolean, label: string): number =>
    keep(get<wasm.Dataset>(id).select(where, stats, label)),
  check: (id: number, start: number, end: number, window: number | undefined): number =>
    keep(get<wasm.Dataset>(id).check(start, end, window)),
  convert: (id: number, options: string, chosen: Uint32Array | null): number =>
    keep(get<samples.Dataset>(id).convert(options, chosen ?? undefined)),
  /** The journal of an opened file; `found` is what there is of it. */
  edits: (id: number, name: string, found: Uint8Array): number =>
    keep(new labels.Edits(get<labels.Dataset>(id), name, found)),
  editsFirstLine: (id: number): string => get<labels.Edits>(id).firstLine(),
  editsChange: (id: number, said: string): string => get<labels.Edits>(id).change(said),
  editsAdd: (id: number, name: string, payload: Uint8Array, at: number, given: string): string =>
    get<labels.Edits>(id).add(name, payload, at, given),
  /** All lines. */
  editsText: (id: number): Uint8Array => get<labels.Edits>(id).text(),
  editsAbout: (id: number): string => get<labels.Edits>(id).about(),
  editsRecord: (id: number, i: number, record: string | null): string =>
    get<labels.Edits>(id).record(i, record ?? undefined),
  editsApply: (id: number, blobs: number, inPlace: boolean): number =>
    keep(get<labels.Edits>(id).apply(blobs, inPlace)),
  /** Each sample of the file with the journal's changes, written anew. */
  editsRewrite: (id: number, options: string, length: number, blobs: number): number =>
    keep(get<labels.Edits>(id).rewrite(options, length, blobs)),
  editsOrder: (id: number): Float64Array => get<labels.Edits>(id).order(),
  editsAddedAt: (id: number, i: number): Float64Array | null => get<labels.Edits>(id).addedAt(i) ?? null,
  editsCounts: (id: number): Float64Array => get<labels.Edits>(id).counts(),
  /** The labels of an opened file, or of a journal over one of this length, written in a format. */
  exportLabels: (id: number, options: string, chosen: Uint32Array | null): number =>
    keep(get<labels.Dataset>(id).exportLabels(options, chosen ?? undefined)),
  editsExportLabels: (id: number, options: string, length: number, blobs: number): number =>
    keep(get<labels.Edits>(id).exportLabels(options, length, blobs)),
  /** The format by the first bytes, also of a file that holds no samples. */
  formatOf: (id: number): string | null => get<wasm.Opener>(id).format() ?? null,
  parseFilter: (where: string): string => wasm.parseFilter(where),

  openOutput,
  flushOutput,
  outputThrough,
  serveOutput,
  writeOutput,
  readOutput,
  truncateOutput,
  outputLength,
  closeOutput,

  /** Hands over bytes and takes a step; what is written goes into an output of this worker, if there is one. */
  async turn(id: number, chunks: Chunk[], output: number): Promise<Turn> {
    const work = get<Work>(id);
    const need = stepped(work, chunks, output);
    await written(output, need === null);
    return turnOf(work, need, output);
  },
  /** The same of work on a file that is read here, beginning with these ranges: as many steps as fit into a moment. */
  async turns(
    id: number,
    ranges: ArrayLike<number>,
    output: number,
    file: Blob,
    handle: FileSystemFileHandle | null,
    shared: number,
  ): Promise<Turn> {
    const key = shared || id;
    let reading = readings.get(key);
    if (!reading) readings.set(key, (reading = new SequentialReader(file, handle)));
    try {
      const until = performance.now() + MOMENT;
      for (let wanted = ranges; ; ) {
        const next = reading.expect && "ahead" in get<Work>(id) ? get<samples.Converter>(id).ahead() : undefined;
        const coming = reading.read(wanted);
        if (next) reading.expect?.(next);
        const chunks = await coming;
        const work = get<Work>(id);
        const need = stepped(work, chunks, output);
        await written(output, need === null);
        // Others may have the file before they hear that this is done.
        if (need === null && shared === 0) reading.stop();
        // Rows and records are handed over as they come.
        const rows = ("take" in work && !("patches" in work)) || "takeRecords" in work;
        if (need === null || rows || performance.now() >= until)
          return Object.assign(turnOf(work, need, output), reading.counted());
        wanted =
          "found" in work
            ? widened(need, { done: work.found, position: work.position }, scanBytes(true), file.size)
            : need;
      }
    } catch (e) {
      reading.stop();
      throw e;
    }
  },
  /** A number for what several pieces of work read, one after the other: the file is opened once for all of them. */
  beginReading: (): number => ++last,
  /** The same, of what another worker reads, at the other end of this port. */
  readThrough(port: MessagePort): number {
    readings.set(++last, new RemoteReader(port));
    return last;
  },
  serveReading,
  endReading(key: number): void {
    readings.get(key)?.stop();
    readings.delete(key);
  },
  /** Nobody waits for this work, or for what reads under this number, any more: nothing is read for it from now on. */
  stop: (key: number): void => readings.get(key)?.stop(),

  /** The JSON that a record, a document, a check, statistics or a conversion ends with. */
  text(id: number): string | null {
    return (
      get<
        | wasm.RecordReader
        | wasm.DocumentReader
        | wasm.Checker
        | samples.Converter
        | tables.TableChecker
        | samples.WarehouseSurveyor
        | tables.TableStats
        | tables.TableConverter
        | labels.LabelExporter
      >(id).finish() ?? null
    );
  },
  selected(id: number, dataset: number, refresh: boolean): Selected {
    const selector = get<wasm.Selector>(id);
    return {
      stats: selector.stats() ?? null,
      faults: selector.faults,
      firstFault: selector.firstFault() ?? null,
      matches: selector.matches(),
      columns: refresh ? columnsOf(get<wasm.Dataset>(dataset)) : null,
    };
  },
  patches: (id: number): Patch[] => get<samples.Converter | tables.TableConverter>(id).patches() as Patch[],

  tableOpener(format: string, length: number, limits: Limits, schema: string, module: TableModule): number {
    return keep(new tableMakers[module].TableOpener(format, length, limits, schema));
  },
  tableOpened(id: number): OpenedTable {
    const table = get<tables.TableOpener>(id).finish();
    return { table: keep(table), about: table.about() };
  },
  tableDocument: (id: number): string | null => get<tables.Table>(id).document() ?? null,
  tableRows: (
    id: number,
    start: number,
    end: number,
    columns: Uint32Array | null,
    where: string,
    whole: boolean,
  ): number => keep(get<tables.Table>(id).rows(start, end, columns ?? undefined, where, whole)),
  tableTake: (id: number, rows: Float64Array, columns: Uint32Array | null): number =>
    keep(get<tables.Table>(id).take(rows, columns ?? undefined)),
  tableMatching: (id: number, where: string): number => keep(get<tables.Table>(id).matching(where)),
  tableStats: (id: number, where: string, columns: Uint32Array | null, first: number): number =>
    keep(get<tables.Table>(id).stats(columns ?? undefined, where, first)),
  tableConvert: (id: number, options: string, chosen: Uint32Array | null): number =>
    keep(get<tables.Table>(id).convert(options, chosen ?? undefined)),
  textConvert(
    format: string,
    length: number,
    limits: Limits,
    options: string,
    chosen: Uint32Array | null,
    module: TableModule,
  ): number {
    return keep(tableMakers[module].TableConverter.ofText(format, length, limits, options, chosen ?? undefined));
  },
  tableMatches: (id: number): Uint32Array => get<tables.TableReader>(id).matches(),
  tableCheck(format: string, length: number, limits: Limits, schema: string, module: TableModule): number {
    return keep(new tableMakers[module].TableChecker(format, length, limits, schema));
  },
  textCheck(format: string, length: number, limits: Limits, options: string): number {
    return keep(tables.TableChecker.ofText(format, length, limits, options));
  },

  /** Begins reading labels: files of these names and lengths, and those of their pictures' folder where there is one. */
  labelReader(
    names: string[],
    lengths: Float64Array,
    pictures: string[] | null,
    pictureLengths: Float64Array,
    options: string,
    limits: Limits,
  ): number {
    return keep(new labels.LabelReader(names, lengths, pictures ?? undefined, pictureLengths, options, limits));
  },
  labelsRead: (id: number): OpenedLabels => openedLabels(get<labels.LabelReader>(id).finish()),
  labelStats: (id: number): string => get<labels.LabelReader>(id).stats(),
  labelsDetect: (name: string, head: Uint8Array): string | null => labels.detectLabels(name, head) ?? null,
  labelsMatch: (samples: string[], images: string[]): Int32Array => labels.matchLabels(samples, images),
  /** Labels without pictures, of these classes, or of those that a dataset's document tells. */
  labelsOf: (classes: string): number => keep(labels.LabelSet.ofClasses(classes)),
  labelsOfDocument: (document: string): number => keep(labels.LabelSet.ofDocument(document)),
  labelsAdd: (id: number, pictures: string): void => get<labels.LabelSet>(id).add(pictures),
  labelsAddRecord(id: number, record: string, name: string, size: readonly [number, number], boxes?: string): boolean {
    return get<labels.LabelSet>(id).addRecord(record, name, ...size, boxes);
  },
  readProject: (bytes: Uint8Array): string => labels.readProject(bytes),
  /** Takes in many records, each with the name of its picture, and its width and height. */
  labelsAddRecords(id: number, records: readonly (readonly [string, string, number, number])[]): void {
    const set = get<labels.LabelSet>(id);
    for (const [record, name, width, height] of records) set.addRecord(record, name, width, height);
  },
  labelsAbout: (id: number): string => get<labels.LabelSet>(id).about(),
  labelsPictures: (id: number, start: number, annotations: number): string =>
    get<labels.LabelSet>(id).pictures(start, annotations),
  /** Writes labels: the files, each by its name, and what was lost. Bytes of one file follow each other. */
  labelsFollow: (id: number, project: string): void => get<labels.LabelSet>(id).follow(project),
  labelsWrite(id: number, format: string, archive: boolean): { files: [string, Uint8Array][]; losses: string } {
    const files: [string, Uint8Array][] = [];
    const losses = get<labels.LabelSet>(id).write(format, archive, (name: string, bytes: Uint8Array) =>
      files.push([name, bytes]),
    );
    return { files, losses };
  },

  /** A payload's tensor, in the memory of one that is given; raw pixels need their width and height, everything else has 0. */
  tensor(
    wanted: string,
    payload: Uint8Array,
    rawWidth: number,
    rawHeight: number,
    into: Float32Array | Uint8Array | null,
  ): Float32Array | Uint8Array {
    return tensorsOf(wanted).make(payload, rawWidth, rawHeight, into) as Float32Array | Uint8Array;
  },

  thumbnailOf,
  thumbnailOfPixels,
  /** What a payload is in numbers, by its bytes and, if it is to be looked at, as a picture. */
  look(payload: Uint8Array, rawWidth: number, rawHeight: number, look: boolean): Uint32Array {
    looker ??= new pixels.Looker();
    return looker.look(payload, rawWidth, rawHeight, true, look);
  },
  duplicateGroups: (
    samples: Uint32Array,
    bytes: Float64Array,
    numbers: Uint32Array,
    distance: number | undefined,
  ): string => pixels.duplicateGroups(samples, bytes, numbers, distance),
  findOutliers: (
    samples: Uint32Array,
    bytes: Float64Array,
    sizes: Uint32Array,
    numbers: Uint32Array,
    traits: string,
    score: number,
  ): string => pixels.findOutliers(samples, bytes, sizes, numbers, traits, score),
  /** The number of the part of each unit. */
  divideUnits: (units: Uint32Array, fractions: Float64Array, seed: number): Uint8Array =>
    pixels.divideUnits(units, fractions, BigInt(seed)),

  /** Frees a handle; the memory of the largest module, and how many handles are left. */
  free(id: number): [number, number] {
    operations.endReading(id);
    handles.get(id)?.free();
    handles.delete(id);
    return [memoryBytes(), handles.size];
  },
};

/** The names of the operations. */
export type Operation = keyof typeof operations;
