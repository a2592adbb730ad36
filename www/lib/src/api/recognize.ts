import { openDataset, type OpenDataset } from "../samples/dataset.js";
import { ForebayError } from "../model/errors.js";
import { textFormatOf } from "../model/formats.js";
import type { Elsewhere } from "../samples/open-in-worker.js";
import type { OpenOptions, Source, TextFormat } from "../model/index.js";

/**
 * What a source holds: samples, opened, or the format of a warehouse, a table or text, which is opened elsewhere. Text is told by
 * the caller, or by its name once its first bytes say nothing else.
 */
export async function recognize(
  source: Source,
  options: OpenOptions,
  owned: boolean,
  from?: TextFormat,
): Promise<OpenDataset | Elsewhere | TextFormat> {
  if (from !== undefined) return from;
  const named = textFormatOf(source.name);
  if (named !== undefined && source.byteLength === 0) return named;
  return openDataset(source, options, owned).catch((e: unknown) => {
    if (named !== undefined && e instanceof ForebayError && e.code === "format.unknown") return named;
    throw e;
  });
}
