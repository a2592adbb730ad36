import type { ModuleName } from "../model/index.js";

const url = () => new URL("./forebay.wasm", import.meta.url);

/** The quick build has one module with everything. The build puts this file in the place of `module-urls.ts`. */
export const urls: Record<ModuleName, () => URL> = {
  forebay: url,
  samples: url,
  labels: url,
  tables: url,
  columns: url,
  pixels: url,
  threads: url,
};
