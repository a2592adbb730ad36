import { abortable } from "../base/abort.js";
import * as argument from "../base/arguments.js";
import { NAMES, known } from "../base/option-names.js";
import { hostError } from "../model/errors.js";
import type {
  FolderSink,
  LabelCount,
  LabelPicture,
  Labels,
  Output,
  WriteLabelsOptions,
  WrittenLabelFormat,
  WrittenLabels,
} from "../model/index.js";
import { free } from "../pool/drive.js";
import { call, client } from "../pool/pool.js";
import { giveUp, orGivenUp } from "../sink/conversion.js";
import { sinkOf } from "../sink/sinks.js";
import { unwritten } from "../sink/unwritten.js";
import { told } from "./json.js";

/** Annotations that cross at once. */
const SOME = 20_000;

/** What the only file of a format is called in a folder; formats without one have a file for each picture. */
export const FILES: Readonly<Record<WrittenLabelFormat, string | null>> = {
  coco: "annotations.json",
  labelstudio: "tasks.json",
  via: "via.json",
  createml: "createml.json",
  cvat: "annotations.xml",
  yolo: null,
  voc: null,
  labelme: null,
};

/** Pictures, some at a time. */
function* pieces(pictures: readonly LabelPicture[]): Generator<[start: number, end: number]> {
  let start = 0;
  let annotations = 0;
  for (let k = 0; k < pictures.length; k++) {
    annotations += 1 + (pictures[k]?.annotations?.length ?? 0);
    if (annotations >= SOME || k === pictures.length - 1) {
      yield [start, k + 1];
      [start, annotations] = [k + 1, 0];
    }
  }
}

/** A folder that files are put into. */
function folderSink(folder: FileSystemDirectoryHandle): FolderSink {
  return {
    async put(path, bytes) {
      const names = path.split("/");
      const last = names.pop()!;
      let at = folder;
      try {
        for (const name of names) at = await at.getDirectoryHandle(name, { create: true });
        const stream = await (await at.getFileHandle(last, { create: true })).createWritable();
        await stream.write(bytes as Uint8Array<ArrayBuffer>);
        await stream.close();
      } catch (e) {
        throw unwritten(`${path} cannot be written`, e);
      }
    },
  };
}

export function asFolder(output: Output | FolderSink | FileSystemDirectoryHandle): FolderSink | null {
  if ("put" in output) return output;
  return "getDirectoryHandle" in output ? folderSink(output) : null;
}

/**
 * Writes labels. What the format cannot say is counted. A format with a file for each picture (`yolo`, `voc`, `labelme`) goes
 * into a folder, or as a TAR where one file is given; what is written is made in memory first.
 *
 * ```js
 * const { losses } = await writeLabels(labels, "yolo", await showDirectoryPicker({ mode: "readwrite" }));
 * ```
 */
export async function writeLabels(
  labels: Labels,
  format: WrittenLabelFormat,
  output: Output | FolderSink | FileSystemDirectoryHandle,
  options: WriteLabelsOptions = {},
): Promise<WrittenLabels> {
  if (typeof output !== "object" || output === null)
    throw hostError("usage.argument", "labels are written to a file's or a folder's handle, a Sink or a FolderSink");
  return orGivenUp(output, options?.signal, () => written(labels, format, output, options));
}

async function written(
  labels: Labels,
  format: WrittenLabelFormat,
  output: Output | FolderSink | FileSystemDirectoryHandle,
  options: WriteLabelsOptions,
): Promise<WrittenLabels> {
  known(argument.options(options, "how to write labels"), NAMES.writeLabels, "writing labels");
  argument.options(labels, "labels");
  if (!Object.hasOwn(FILES, format))
    throw hostError("usage.argument", `labels are written as ${Object.keys(FILES).join(", ")}, not ${String(format)}`);
  const { signal } = options;
  const folder = asFolder(output);
  const sink = folder ? null : await sinkOf(output as Output);
  try {
    const { files, losses } = await abortable(made(labels, format, folder === null, options), signal);
    let bytes = 0;
    for (const [path, content] of files) {
      signal?.throwIfAborted();
      if (folder) await folder.put(path, content);
      else await sink!.write(bytes, content);
      bytes += content.length;
    }
    await (folder ?? sink)!.close?.();
    return { files: folder ? files.length : 1, bytes, losses: JSON.parse(losses) as LabelCount[] };
  } catch (e) {
    // The stream of a handle was opened here; any other output hears of it from the caller.
    if (sink && "createWritable" in output) await giveUp(sink, e);
    throw e;
  }
}

/** The files, each by its place; the parts of the only one follow each other. */
async function made(
  { classes, pictures }: Labels,
  format: WrittenLabelFormat,
  archive: boolean,
  { project, signal, onProgress }: WriteLabelsOptions,
): Promise<{ files: [string, Uint8Array][]; losses: string }> {
  const worker = await client();
  const all = argument.list(pictures, "the images");
  const id = await call(worker, undefined, "labelsOf", [told(argument.list(classes, "the classes"))]);
  try {
    for (const [start, end] of pieces(all)) {
      signal?.throwIfAborted();
      await call(worker, undefined, "labelsAdd", [id, told(all.slice(start, end))]);
      onProgress?.({ samples: end, totalSamples: all.length, bytes: 0, totalBytes: null });
    }
    if (project) await call(worker, undefined, "labelsFollow", [id, told(project)]);
    const made = await call(worker, undefined, "labelsWrite", [id, format, archive]);
    const name = FILES[format];
    if (archive || name === null) return made;
    return { files: [[name, joined(made.files.map(([, part]) => part))]], losses: made.losses };
  } finally {
    void free(worker, id);
  }
}

function joined(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
