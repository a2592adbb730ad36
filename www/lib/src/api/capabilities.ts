import * as argument from "../base/arguments.js";
import { call, client, threadCount, workerCount } from "../pool/pool.js";
import { sampleFormats, tableFormats, writtenSamples, writtenTables } from "../model/formats.js";
import type { Capabilities } from "../model/index.js";

/** A module of one function that uses SIMD. */
const SIMD = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];

/** What this environment can do. */
export function capabilities(): Capabilities {
  return {
    workers: workerCount(),
    threads: threadCount() > 0,
    simd: WebAssembly.validate(new Uint8Array(SIMD)),
    saveAsStream: "showSaveFilePicker" in globalThis,
    opfs: typeof navigator !== "undefined" && typeof navigator.storage?.getDirectory === "function",
    reads: [...sampleFormats, ...tableFormats],
    writes: [...writtenSamples, ...writtenTables],
  };
}

/**
 * The canonical text of a filter expression. Rejects with a `filter.*` code where it cannot be read; the error's
 * `offset` is the character.
 */
export async function parseFilter(where: string): Promise<string> {
  argument.text(where, "a filter");
  return call(await client(), undefined, "parseFilter", [where]);
}
