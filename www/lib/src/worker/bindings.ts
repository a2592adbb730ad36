/** The modules of this thread: made ready once, and asked what went wrong when one is broken. */
import * as columns from "../../wasm/columns.js";
import * as wasm from "../../wasm/forebay.js";
import * as labels from "../../wasm/labels.js";
import * as pixels from "../../wasm/pixels.js";
import * as samples from "../../wasm/samples.js";
import * as tables from "../../wasm/tables.js";
import * as threaded from "../../wasm/threads.js";
import type { Failed } from "./protocol.js";
import type { ThreadStart } from "./threads.js";
import type { ModuleName } from "../model/index.js";

const glue: Record<
  ModuleName,
  { initSync(options: { module: WebAssembly.Module }): unknown; lastPanic(): string; memoryBytes(): number }
> = {
  forebay: wasm,
  samples,
  labels,
  tables,
  columns,
  pixels,
  threads: threaded,
};
const loaded = new Set<ModuleName>();

/** The memory of the largest module, in bytes. */
export function memoryBytes(): number {
  return Math.max(0, ...Array.from(loaded, (name) => glue[name].memoryBytes()));
}

/** Makes a module ready; the threaded one with this many threads. */
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
  return message.startsWith("{") ? { thrown: message, trap: message } : { trap: message };
}
