import { abortable } from "./abort.js";
import { openDataset } from "./dataset.js";
import { ForebayError, unopened } from "./errors.js";
import { sourceOf } from "./sources.js";
import type { CheckOptions, CheckReport, Dataset, Input, OpenOptions } from "./types.js";

/**
 * Opens a dataset of any format, found out by content. A TBL costs two reads: header and index. A TAR's headers are
 * walked through, with progress.
 *
 * ```js
 * const dataset = await open(file);
 * image.src = URL.createObjectURL(await dataset.blob(17));
 * ```
 */
export async function open(input: Input, options: OpenOptions = {}): Promise<Dataset> {
  const { signal } = options;
  signal?.throwIfAborted();
  const source = await abortable(sourceOf(input, options.name, options.http ?? {}, signal), signal);
  const owned = source !== input && !isSource(input);
  try {
    return await abortable(openDataset(source, options, owned), signal);
  } catch (e) {
    if (owned) void source.close?.();
    throw e;
  }
}

function isSource(input: Input): boolean {
  return typeof input === "object" && "read" in input;
}

/**
 * Checks an input that may be too damaged to be opened: then the report has that one fault, as the command's.
 * Rejects only where the input cannot be read or is of no known format.
 */
export async function check(input: Input, options: CheckOptions & OpenOptions = {}): Promise<CheckReport> {
  const { onProgress, ...rest } = options;
  try {
    const dataset = await open(input, rest);
    try {
      return await dataset.check({ ...(rest.signal ? { signal: rest.signal } : {}), ...(onProgress ? { onProgress: onProgress as NonNullable<CheckOptions["onProgress"]> } : {}) });
    } finally {
      dataset.close();
    }
  } catch (e) {
    if (e instanceof ForebayError && (e.kind === "damaged" || e.kind === "limit")) return unopened(e);
    throw e;
  }
}
