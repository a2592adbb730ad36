/** What crosses between whoever asks and the worker that has the modules. */
import type { RawBatch } from "../model/table-batch.js";
import type { IndexColumns } from "../model/index.js";

/** The modules that read samples: `samples` also converts, `threads` does so on several threads, and `labels` edits. */
export type SampleModule = "forebay" | "samples" | "labels" | "threads";

/** What one turn of some work says. */
export interface Turn {
  /** Pairs of start and end to fetch, perhaps none; `null` when the work is done. */
  need: Float64Array | null;
  /** What the turn after the next will need, if the work knows. */
  ahead: Float64Array | null;
  /** Samples done, or members found. */
  done: number;
  /** Where the work stands in the file, if it knows. */
  position: number;
  /** Bytes to write, and where. */
  out: Uint8Array | null;
  at: number;
  spool: Uint8Array | null;
  /** Rows of a table. */
  batch: RawBatch | null;
  /** Records of samples, as a JSON list. */
  records: string | null;
  /** Whole files: the name of each, and then its bytes. */
  files: (string | Uint8Array)[] | null;
  /** Ranges that were read for it here, and their bytes. */
  requests: number;
  bytes: number;
}

/** Something left to do to an output. */
export interface Patch {
  what: "bytes" | "move" | "zero" | "spool" | "end" | "flush";
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

/** The modules of tables: the second has Parquet and Arrow too. */
export type TableModule = "tables" | "columns";

/** What opening a table gives. */
export interface OpenedTable {
  table: number;
  about: string;
}

/** What reading labels gives. */
export interface OpenedLabels {
  labels: number;
  about: string;
  length: number;
}

/** What crosses when an operation fails. */
export interface Failed {
  /** The JSON that the module threw. */
  thrown?: string;
  /** The module trapped: it must not be used any more. With `thrown` a file was to blame. */
  trap?: string;
}

/** A picture that is moved, if the environment has any. */
const isBitmap = (value: unknown): value is ImageBitmap =>
  typeof ImageBitmap === "function" && value instanceof ImageBitmap;

/** The buffers of a result and its pictures, to be moved and not copied. */
export function buffersOf(
  value: unknown,
  found: Set<ArrayBuffer | ImageBitmap> = new Set(),
): Set<ArrayBuffer | ImageBitmap> {
  if (isBitmap(value)) found.add(value);
  else if (ArrayBuffer.isView(value)) {
    // A view of a part would take the rest along; results are whole buffers.
    if (value.buffer instanceof ArrayBuffer && value.byteLength > 0 && value.byteLength === value.buffer.byteLength)
      found.add(value.buffer);
  } else if (Array.isArray(value)) {
    for (const part of value) buffersOf(part, found);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) buffersOf(part, found);
  }
  return found;
}
