/** Where the parts of the package are, and what an environment can do. */
import type { Format, TableFormat } from "./names.js";

/**
 * The WebAssembly modules: `forebay` reads samples and is loaded with the first file; `samples` also converts and
 * reads warehouses; `labels` reads and writes labels and edits; `tables` reads and writes tables, `columns` Parquet and Arrow too; `pixels` decodes images
 * into tensors and finds duplicates and outliers; `threads` converts on several threads, for pages that ask for it.
 */
export type ModuleName = "forebay" | "samples" | "labels" | "tables" | "columns" | "pixels" | "threads";

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
  /** Threads for conversions of large files, in a cross-origin isolated page and a package built with them. Default: 0. */
  threads?: number;
}

/** What this environment can do. */
export interface Capabilities {
  /** Workers that the pool may start; 0 where work happens on the caller's thread. */
  readonly workers: number;
  /**
   * Whether large files are converted on several threads: the page is cross-origin isolated, and {@link configure} was
   * given `threads`. Everything works without it.
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
