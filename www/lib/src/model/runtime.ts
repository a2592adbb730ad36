/** Where the parts of the package are, and what an environment can do. */
import type { Format, TableFormat } from "./names.js";

/**
 * The WebAssembly modules: `forebay` reads samples and is loaded with the first file; `convert` also converts and reads
 * what is packed with Zstandard; `threads` does the same on several threads, if the page is cross-origin isolated;
 * `tables` reads tables, `columns` Parquet and Arrow too, and writes them; `tensor` decodes JPEG, `pictures` the other formats too; `warehouse` reads tensor warehouses;
 * `labels` reads and writes labels; `edits` keeps journals of changes; `curate` finds
 * duplicates and outliers.
 */
export type ModuleName =
  | "forebay"
  | "convert"
  | "threads"
  | "tables"
  | "columns"
  | "tensor"
  | "pictures"
  | "warehouse"
  | "labels"
  | "edits"
  | "curate";

/** Where the parts of the package are and how much of the machine they take. Everything is optional. */
export interface RuntimeOptions {
  /** The reader's WebAssembly file, if it is not beside the package's own modules. The others lie beside it. */
  wasmUrl?: string | URL;
  /** The files of single modules, if they lie apart. */
  wasmUrls?: Partial<Record<ModuleName, string | URL>>;
  /** The worker's module, if it is not beside the package's own modules. */
  workerUrl?: string | URL;
  /** The reader's compiled module itself: nothing is fetched then. */
  wasmModule?: WebAssembly.Module;
  /** The same of single modules. */
  wasmModules?: Partial<Record<ModuleName, WebAssembly.Module>>;
  /** Workers at most; 0 does all work on the caller's thread. Default: one more than half the processors, at most 4. */
  workers?: number;
  /** Threads of the threaded build; 0 does without it. Default: one for each processor, at most 8; none on two. */
  threads?: number;
}

/** What this environment can do. */
export interface Capabilities {
  /** Workers that the pool may start; 0 where work happens on the caller's thread. */
  readonly workers: number;
  /**
   * Whether the threaded build is used, for conversions of large files: where the page is cross-origin isolated, on more
   * than two processors or where {@link configure} was given `threads`. Everything works without it.
   */
  readonly threads: boolean;
  /** Whether WebAssembly SIMD is there. Without it the package does not run. */
  readonly simd: boolean;
  /** Whether files can be saved as a stream. */
  readonly saveAsStream: boolean;
  /** Whether there is an origin-private file system. */
  readonly opfs: boolean;
  /** Formats that {@link open} gives samples of. */
  readonly reads: readonly Format[];
  /** Formats that {@link convert} writes. */
  readonly writes: readonly ("tbl" | "tar" | TableFormat)[];
}
