import { withComment } from "../base/jpeg-comment.js";
import { NAMES, known } from "../base/option-names.js";
import * as argument from "../base/arguments.js";
import { hostError } from "../model/errors.js";
import type { ConvertSummary, Dataset, Output, WriteThumbsOptions } from "../model/index.js";
import { OpenDataset } from "../samples/dataset.js";
import { HEAD, isOnItsSide, orientationOf, sizeInHeader } from "../base/picture-header.js";
import { commentFor, type PictureFacts } from "../samples/strip.js";
import { blobSource } from "../source/sources.js";
import { orGivenUp } from "../sink/conversion.js";
import { noOutput } from "../sink/sinks.js";
import { convert } from "./convert.js";

/** Thumbnails that are made at once. */
const AT_ONCE = 16;
/** Members of the archive that are put together, so that the page does not hold them one by one. */
const TOGETHER = 512;

/**
 * Makes the thumbnails of all samples and writes them as a file of their own, a TBL of small JPEGs: with it beside the dataset, as
 * `train.tbl.thumbs`, a first screen costs one request more than opening it. Only where JPEG can be written, so not in Node.
 */
export async function writeThumbs(
  dataset: Dataset,
  output: Output,
  options: WriteThumbsOptions = {},
): Promise<ConvertSummary> {
  if (typeof output !== "object" || output === null) throw noOutput();
  return orGivenUp(output, options?.signal, () => written(dataset, output, options));
}

async function written(dataset: Dataset, output: Output, options: WriteThumbsOptions): Promise<ConvertSummary> {
  known(argument.options(options, "how thumbnails are written"), NAMES.writeThumbs, "writeThumbs");
  const { size = 160, quality, signal, onProgress } = options;
  argument.whole(size, "a thumbnail's size", 2, 2048);
  if (!(dataset instanceof OpenDataset) || dataset.format === "warehouse")
    throw hostError("usage.argument", "thumbnails are written of one TBL or TAR", { file: dataset.name });
  if (typeof OffscreenCanvas !== "function")
    throw hostError("usage.argument", "nothing here writes JPEG: thumbnails are written in a page", {
      file: dataset.name,
    });
  await dataset.whole;
  const digest = await dataset.digest(signal);
  const none = await nothing();
  const made = async (i: number): Promise<Blob> => {
    const thumbnail = await dataset
      .thumbnail(i, { size, type: "image/jpeg", ...(quality !== undefined && { quality }), ...(signal && { signal }) })
      .catch((e: unknown) => {
        signal?.throwIfAborted();
        const { kind, code } = e as { kind?: string; code?: string };
        if (kind === "io" || code === "dataset.closed") throw e;
        // What cannot be drawn has its place all the same.
        return none;
      });
    const picture = thumbnail === none ? null : await factsOf(dataset, i, signal);
    return withComment(thumbnail, commentFor(i, digest, size, picture));
  };
  const parts: Blob[] = [];
  let members: Blob[] = [];
  for (let from = 0; from < dataset.length; from += AT_ONCE) {
    // What comes from afar comes once, for the thumbnail and for what is said of it.
    if (!dataset.source.blob)
      await dataset.prefetch(
        { start: from, end: Math.min(dataset.length, from + AT_ONCE) },
        { ...(signal && { signal }) },
      );
    const some = Array.from({ length: Math.min(AT_ONCE, dataset.length - from) }, (_, k) => made(from + k));
    for (const [k, jpeg] of (await Promise.all(some)).entries()) members.push(member(`${from + k}.jpg`, jpeg));
    if (members.length >= TOGETHER) {
      parts.push(new Blob(members));
      members = [];
    }
    const samples = Math.min(dataset.length, from + AT_ONCE);
    onProgress?.({ samples, totalSamples: dataset.length, bytes: dataset.telemetry.bytesRead, totalBytes: null });
  }
  const archive = new Blob([...parts, ...members, new Uint8Array(1024)]);
  const name = `thumbnails of ${dataset.name ?? "a file"} (${digest})`;
  return convert(blobSource(archive, name), output, { to: "tbl", ...(signal && { signal }) });
}

/** The size of a picture as it is seen, and how it is turned; `null` where nobody says it. */
async function factsOf(dataset: OpenDataset, i: number, signal: AbortSignal | undefined): Promise<PictureFacts | null> {
  let { format, width, height } = dataset.info(i);
  let orientation = 1;
  if (format !== "raw_u8") {
    const file = await dataset.blob(i, signal ? { signal } : {});
    const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
    orientation = orientationOf(head);
    [width, height] = sizeInHeader(head) ?? [width, height];
  }
  if (!(width > 0 && height > 0)) return null;
  return isOnItsSide(orientation) ? { width: height, height: width, orientation } : { width, height, orientation };
}

/** What stands in the place of what cannot be drawn. */
function nothing(): Promise<Blob> {
  const canvas = new OffscreenCanvas(1, 1);
  // Without one it has no pixels.
  canvas.getContext("2d");
  return canvas.convertToBlob({ type: "image/jpeg" });
}

/** A file of an archive. */
function member(name: string, content: Blob): Blob {
  const header = new Uint8Array(512);
  const put = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
  put(0, name);
  put(100, "0000644\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(124, `${content.size.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(148, "        ");
  put(156, "0ustar\0");
  put(263, "00");
  const sum = header.reduce((a, b) => a + b, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return new Blob([header, content, new Uint8Array(-content.size & 511)]);
}
