/** One step of some work in a module: bytes in, what is needed next and what was made out. */
import type * as wasm from "../../wasm/forebay.js";
import type * as labels from "../../wasm/labels.js";
import type * as samples from "../../wasm/samples.js";
import type * as tables from "../../wasm/tables.js";
import { writerOf } from "./outputs.js";
import type { RecordWalk } from "./record-walk.js";
import type { Turn } from "./protocol.js";
import type { Chunk } from "../source/ranges.js";
import type { RawBatch } from "../model/table-batch.js";

/** What stands behind a number. */
export type Handle =
  | wasm.Opener
  | wasm.Dataset
  | wasm.RecordReader
  | RecordWalk
  | wasm.DocumentReader
  | wasm.Selector
  | wasm.Checker
  | samples.Converter
  | tables.TableOpener
  | tables.Table
  | tables.TableReader
  | tables.TableStats
  | tables.TableConverter
  | tables.TableChecker
  | samples.WarehouseManifest
  | samples.WarehouseOpener
  | samples.WarehouseSurveyor
  | samples.Dataset
  | labels.LabelReader
  | labels.LabelSet
  | labels.Edits
  | labels.Applier
  | labels.LabelExporter;
/** The same, if it takes bytes step by step. */
export type Work = Exclude<
  Handle,
  wasm.Dataset | tables.Table | samples.WarehouseManifest | labels.LabelSet | labels.Edits
>;

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

/** Takes a step with these bytes; what it wrote goes into an output of this worker, if there is one. */
export function stepped(work: Work, chunks: Chunk[], output: number): Float64Array | null {
  const need = "found" in work ? scanned(work, chunks) : pushed(work, chunks);
  if (output === 0) return need;
  const writer = writerOf(output);
  if ("drain" in work) work.drain(writer);
  else if ("patches" in work) {
    const out = work.take();
    if (out) writer.write(work.at, out);
  }
  return need;
}

/** Until the output takes more, or has everything where that was all. */
export async function written(output: number, all: boolean): Promise<void> {
  if (output === 0) return;
  const writer = writerOf(output);
  await (all ? writer.settled() : writer.room());
}

/** What a step left to be told, and to be taken. */
export function turnOf(work: Work, need: Float64Array | null, output: number): Turn {
  const turn: Turn = {
    need,
    ahead: null,
    done: 0,
    position: 0,
    out: null,
    at: 0,
    spool: null,
    batch: null,
    records: null,
    files: null,
    requests: 0,
    bytes: 0,
  };
  if ("found" in work) {
    turn.done = work.found;
    turn.position = work.position;
  } else if ("patches" in work) {
    turn.done = work.done;
    if (output === 0) turn.out = work.take() ?? null;
    turn.at = work.at;
    if ("takeFiles" in work) turn.files = work.takeFiles() as (string | Uint8Array)[];
    if ("takeSpool" in work) turn.spool = work.takeSpool() ?? null;
    if ("ahead" in work) turn.ahead = work.ahead() ?? null;
  } else if ("done" in work) {
    turn.done = work.done;
    if ("ahead" in work) turn.ahead = work.ahead() ?? null;
    if ("takeRecords" in work) turn.records = work.takeRecords();
    if ("take" in work) turn.batch = (work.take() as RawBatch | undefined) ?? null;
  }
  return turn;
}
