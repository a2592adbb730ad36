import type { ModuleName } from "../model/index.js";
import { THREADS } from "../base/build.js";

/** Where each module lies. Bundlers find files by this very form, so each stands here by itself. */
export const urls: Record<ModuleName, () => URL> = {
  forebay: () => new URL("./forebay.wasm", import.meta.url),
  samples: () => new URL("./samples.wasm", import.meta.url),
  labels: () => new URL("./labels.wasm", import.meta.url),
  tables: () => new URL("./tables.wasm", import.meta.url),
  columns: () => new URL("./columns.wasm", import.meta.url),
  pixels: () => new URL("./pixels.wasm", import.meta.url),
  // A build without it has no such file, which a bundler would look for.
  threads: THREADS
    ? () => new URL("./threads.wasm", import.meta.url)
    : () => new URL("./samples.wasm", import.meta.url),
};
