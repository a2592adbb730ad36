/**
 * The WebAssembly modules behind numbered handles: what a worker runs, and what the caller's thread runs where there
 * are no workers. Everything in here is synchronous but opening a
 * file to write, and reading one.
 */
import * as full from "../wasm/convert.js";
import * as wasm from "../wasm/forebay.js";
import * as pictures from "../wasm/pictures.js";
import * as tables from "../wasm/tables.js";
import * as tensors from "../wasm/tensor.js";
import * as threaded from "../wasm/threads.js";
import { closeOutput, openOutput, outletOf, outputThrough, readOutput, serveOutput, truncateOutput, writeOutput } from "./outputs.js";
import { FrontToBack } from "./front.js";
import type { Chunk } from "./ranges.js";
import { scanBytes, widened } from "./scan.js";
import type { ThreadStart } from "./threads.js";
import type { RawBatch } from "./table-column.js";
import type { IndexColumns, Limits, ModuleName } from "./types.js";

/** What one turn of some work says. */
export interface Turn {
  /** Pairs of start and end to fetch, perhaps none; `null` when the work is done. */
  need: Float64Array | null;
  /** What the turn after the next will need, where the work knows. */
  ahead: Float64Array | null;
  /** Samples done, or members found. */
  done: number;
  /** Where the work stands in the file, where it knows. */
  position: number;
  /** Bytes to write, and where. */
  out: Uint8Array | null;
  at: number;
  spool: Uint8Array | null;
  /** Rows of a table. */
  batch: RawBatch | null;
  /** Ranges that were read for it here, and their bytes. */
  requests: number;
  bytes: number;
}

/** Something left to do to an output. */
export interface Patch {
  what: "bytes" | "move" | "zero" | "spool" | "end";
  at: number;
  from: number;
  len: number;
  bytes: Uint8Array;
}

/** What opening gives. */
export interface Opened {
  dataset: number;
  about: string;
  damage: string | null;
  columns: IndexColumns;
  names: string | null;
}

/** What selecting gives. */
export interface Selected {
  matches: Uint32Array;
  stats: string | null;
  faults: number;
  firstFault: string | null;
  /** The columns again, where sizes became known. */
  columns: IndexColumns | null;
}

/** What opening a table gives. */
export interface OpenedTable {
  table: number;
  about: string;
}

type Handle =
  | wasm.Opener
  | wasm.Dataset
  | wasm.RecordReader
  | wasm.DocumentReader
  | wasm.Selector
  | wasm.Checker
  | full.Converter
  | tables.TableOpener
  | tables.Table
  | tables.TableReader
  | tables.TableStats
  | tables.TableConverter
  | tables.TableChecker;
type Work = Exclude<Handle, wasm.Dataset | tables.Table>;

/** Kinds of tensors that are kept ready, each with its buffers. */
const KINDS = 8;
const kinds = new Map<string, tensors.Tensors>();

/** The modules that make tensors: the first reads JPEG and raw pixels, the second every format. */
export type TensorModule = "tensor" | "pictures";
const makers: Record<TensorModule, { Tensors: typeof tensors.Tensors }> = { tensor: tensors, pictures };

/** What makes tensors of this kind; the one that was longest unused makes room. */
function tensorsOf(wanted: string, module: TensorModule): tensors.Tensors {
  const kind = module + wanted;
  const one = kinds.get(kind) ?? new makers[module].Tensors(wanted);
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

/** Hands over all bytes and takes a step. */
function pushed(work: Work, chunks: Chunk[]): Float64Array | null {
  for (const [start, bytes] of chunks) work.push(start, bytes);
  return work.step() ?? null;
}

/** Members of a TAR that are larger than this are not copied into the module to look at the next header. */
const SKIPPED = 16 << 10;
/** What a scan asked for last. */
const asked = new WeakMap<Work, Float64Array>();

/** The same of a scan, as many steps as these bytes allow, with only the bytes that it asks for. */
function scanned(work: wasm.Opener, chunks: Chunk[]): Float64Array | null {
  let need: Float64Array | null = asked.get(work) ?? null;
  const [start, bytes] = chunks[0] ?? [0, new Uint8Array()];
  if (!need || chunks.length !== 1 || work.position < work.found * SKIPPED) {
    need = pushed(work, chunks);
  } else {
    const holds = (need: Float64Array) => need.length === 2 && need[0]! >= start && need[1]! <= start + bytes.length;
    // What was read for it is handed over in any case.
    do need = pushed(work, holds(need!) ? [[need![0]!, bytes.subarray(need![0]! - start, need![1]! - start)]] : chunks);
    while (need && holds(need));
  }
  if (need) asked.set(work, need);
  return need;
}

/** The modules that read samples: the second can do all that the first can, the third the same on several threads. */
export type SampleModule = "forebay" | "convert" | "threads";
const readers: Record<SampleModule, { Opener: typeof wasm.Opener; parseFilter(where: string): string }> = { forebay: wasm, convert: full, threads: threaded };

/** Work that reads for itself is at it for so many milliseconds before it tells how far it is. */
const MOMENT = 30;
/** The files that are read here, by the work that they are read for. */
const readings = new Map<number, FrontToBack>();

/** Takes a step with these bytes; what it wrote goes into an output of this worker, if there is one. */
function stepped(work: Work, chunks: Chunk[], output: number): Float64Array | null {
  const need = "found" in work ? scanned(work, chunks) : pushed(work, chunks);
  if (output === 0) return need;
  const outlet = outletOf(output);
  if ("drain" in work) work.drain(outlet);
  else if ("patches" in work) {
    const out = work.take();
    if (out) outlet.write(work.at, out);
  }
  return need;
}

/** Until the output takes more, or has everything where that was all. */
async function written(output: number, all: boolean): Promise<void> {
  if (output === 0) return;
  const outlet = outletOf(output);
  await (all ? outlet.settled() : outlet.room());
}

/** What a step left to be told, and to be taken. */
function told(work: Work, need: Float64Array | null, output: number): Turn {
  const turn: Turn = { need, ahead: null, done: 0, position: 0, out: null, at: 0, spool: null, batch: null, requests: 0, bytes: 0 };
  if ("found" in work) {
    turn.done = work.found;
    turn.position = work.position;
  } else if ("patches" in work) {
    turn.done = work.done;
    if (output === 0) turn.out = work.take() ?? null;
    turn.at = work.at;
    if ("takeSpool" in work) turn.spool = work.takeSpool() ?? null;
    if ("ahead" in work) turn.ahead = work.ahead() ?? null;
  } else if ("done" in work) {
    turn.done = work.done;
    if ("ahead" in work) turn.ahead = work.ahead() ?? null;
    if ("take" in work) turn.batch = (work.take() as RawBatch | undefined) ?? null;
  }
  return turn;
}

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
  kept: (id: number, length: number): Uint8Array | null => get<wasm.Dataset>(id).kept(length) ?? null,
  plan: (id: number, i: number): Float64Array => get<wasm.Dataset>(id).plan(i),
  decode(id: number, i: number, bytes: Uint8Array, verify: boolean): Uint8Array {
    const dataset = get<wasm.Dataset>(id);
    const payload = dataset.decode(i, bytes, verify);
    return payload ?? bytes;
  },
  record: (id: number, i: number): number => keep(get<wasm.Dataset>(id).record(i)),
  document: (id: number): number => keep(get<wasm.Dataset>(id).document()),
  select: (id: number, where: string, stats: boolean, label: string): number => keep(get<wasm.Dataset>(id).select(where, stats, label)),
  check: (id: number, start: number, end: number, window: number | undefined): number => keep(get<wasm.Dataset>(id).check(start, end, window)),
  convert: (id: number, options: string, chosen: Uint32Array | null): number =>
    keep(get<full.Dataset>(id).convert(options, chosen ?? undefined)),
  /** The format by the first bytes, also of a file that holds no samples. */
  formatOf: (id: number): string | null => get<wasm.Opener>(id).format() ?? null,
  parseFilter: (where: string): string => wasm.parseFilter(where),

  openOutput,
  outputThrough,
  serveOutput,
  writeOutput,
  readOutput,
  truncateOutput,
  closeOutput,

  /** Hands over bytes and takes a step; what is written goes into an output of this worker, if there is one. */
  async turn(id: number, chunks: Chunk[], output: number): Promise<Turn> {
    const work = get<Work>(id);
    const need = stepped(work, chunks, output);
    await written(output, need === null);
    return told(work, need, output);
  },
  /** The same of work on a file that is read here, beginning with these ranges: as many steps as fit into a moment. */
  async turns(id: number, ranges: ArrayLike<number>, output: number, file: Blob, handle: FileSystemFileHandle | null): Promise<Turn> {
    let reading = readings.get(id);
    if (!reading) readings.set(id, (reading = new FrontToBack(file, handle)));
    try {
      const until = performance.now() + MOMENT;
      for (let wanted = ranges; ; ) {
        const chunks = await reading.read(wanted);
        const work = get<Work>(id);
        const need = stepped(work, chunks, output);
        await written(output, need === null);
        // Others may have the file before they hear that this is done.
        if (need === null) reading.stop();
        // Rows are handed over as they come.
        const rows = "take" in work && !("patches" in work);
        if (need === null || rows || performance.now() >= until) return Object.assign(told(work, need, output), reading.counted());
        wanted = "found" in work ? widened(need, { done: work.found, position: work.position }, scanBytes(true), file.size) : need;
      }
    } catch (e) {
      reading.stop();
      throw e;
    }
  },
  /** Nobody waits for this work any more: nothing is read for it from now on. */
  stop: (id: number): void => readings.get(id)?.stop(),

  /** The JSON that a record, a document, a check, statistics or a conversion ends with. */
  text(id: number): string | null {
    return get<wasm.RecordReader | wasm.DocumentReader | wasm.Checker | full.Converter | tables.TableChecker | tables.TableStats | tables.TableConverter>(id).finish() ?? null;
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
  patches: (id: number): Patch[] => get<full.Converter | tables.TableConverter>(id).patches() as Patch[],

  tableOpener(format: string, length: number, limits: Limits, schema: string): number {
    return keep(new tables.TableOpener(format, length, limits, schema));
  },
  tableOpened(id: number): OpenedTable {
    const table = get<tables.TableOpener>(id).finish();
    return { table: keep(table), about: table.about() };
  },
  tableDocument: (id: number): string | null => get<tables.Table>(id).document() ?? null,
  tableRows: (id: number, start: number, end: number, columns: Uint32Array | null, where: string, whole: boolean): number =>
    keep(get<tables.Table>(id).rows(start, end, columns ?? undefined, where, whole)),
  tableTake: (id: number, rows: Float64Array, columns: Uint32Array | null): number =>
    keep(get<tables.Table>(id).take(rows, columns ?? undefined)),
  tableMatching: (id: number, where: string): number => keep(get<tables.Table>(id).matching(where)),
  tableStats: (id: number, where: string, columns: Uint32Array | null, first: number): number =>
    keep(get<tables.Table>(id).stats(columns ?? undefined, where, first)),
  tableConvert: (id: number, options: string, chosen: Uint32Array | null): number => keep(get<tables.Table>(id).convert(options, chosen ?? undefined)),
  textConvert(format: string, length: number, limits: Limits, options: string, chosen: Uint32Array | null): number {
    return keep(tables.TableConverter.ofText(format, length, limits, options, chosen ?? undefined));
  },
  tableMatches: (id: number): Uint32Array => get<tables.TableReader>(id).matches(),
  tableCheck(format: string, length: number, limits: Limits, schema: string): number {
    return keep(new tables.TableChecker(format, length, limits, schema));
  },
  textCheck(format: string, length: number, limits: Limits, options: string): number {
    return keep(tables.TableChecker.ofText(format, length, limits, options));
  },

  /** A payload's tensor, in the memory of one that is given; raw pixels need their width and height, everything else has 0. */
  tensor(module: TensorModule, wanted: string, payload: Uint8Array, rawWidth: number, rawHeight: number, into: Float32Array | Uint8Array | null): Float32Array | Uint8Array {
    return tensorsOf(wanted, module).make(payload, rawWidth, rawHeight, into) as Float32Array | Uint8Array;
  },

  /** Lets go of a handle; the memory of the largest module, and how many handles are left. */
  free(id: number): [number, number] {
    readings.get(id)?.stop();
    readings.delete(id);
    handles.get(id)?.free();
    handles.delete(id);
    return [Math.max(0, ...Array.from(loaded, (name) => glue[name].memoryBytes())), handles.size];
  },
};

/** The names of the operations. */
export type Operation = keyof typeof operations;

const glue: Record<ModuleName, { initSync(options: { module: WebAssembly.Module }): unknown; lastPanic(): string; memoryBytes(): number }> = {
  forebay: wasm,
  convert: full,
  threads: threaded,
  tables,
  tensor: tensors,
  pictures,
};
const loaded = new Set<ModuleName>();

/** Makes a module ready; the threaded one with so many threads. */
export function load(name: ModuleName, module: WebAssembly.Module, threads: number): void | Promise<void> {
  if (loaded.has(name)) return;
  glue[name].initSync({ module });
  loaded.add(name);
  if (name === "threads") return threaded.initThreadPool(threads) as Promise<void>;
}

/** Is one of the threads of another worker; returns when that worker is gone, if ever. */
export function serve({ module, memory, receiver }: ThreadStart): void {
  threaded.initSync({ module, memory });
  postMessage("ready");
  threaded.wbg_rayon_start_worker(receiver);
}

/** What crosses when an operation fails. */
export interface Failed {
  /** The JSON that the module threw. */
  thrown?: string;
  /** The module trapped: it must not be used any more. */
  trap?: string;
}

/** What an operation's failure was. */
export function failure(e: unknown): Failed {
  if (typeof e === "string") return { thrown: e };
  let message = e instanceof Error ? e.message : String(e);
  for (const name of loaded) {
    try {
      message = glue[name].lastPanic() || message;
    } catch {
      // Too broken to say why.
    }
  }
  return { trap: message };
}

/** The buffers of a result, to be moved and not copied. */
export function buffersOf(value: unknown, found: Set<ArrayBuffer> = new Set()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    // A view of a part would take the rest along; results are whole buffers.
    if (value.buffer instanceof ArrayBuffer && value.byteLength > 0 && value.byteLength === value.buffer.byteLength) found.add(value.buffer);
  } else if (Array.isArray(value)) {
    for (const part of value) buffersOf(part, found);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) buffersOf(part, found);
  }
  return found;
}
