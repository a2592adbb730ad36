import { abortable } from "../base/abort.js";
import * as argument from "../base/arguments.js";
import { NAMES, known } from "../base/option-names.js";
import { hostError } from "../model/errors.js";
import type {
  LabelClass,
  LabelFormat,
  LabelInput,
  LabelNotes,
  LabelPicture,
  LabelStats,
  ReadLabels,
  ReadLabelsOptions,
} from "../model/index.js";
import { drive, free } from "../pool/drive.js";
import { call, client, type Client } from "../pool/pool.js";
import { folderOf } from "../source/folder.js";
import { readExactly } from "../source/ranges.js";
import { labelFiles, type LabelFiles } from "./files.js";
import { parsed } from "./json.js";

/** Annotations that cross at once. */
const SOME = 20_000;
/** Bytes at the beginning of a file that tell its format. */
const HEAD = 64 << 10;

/** What the module tells of labels beside their pictures. */
interface About {
  format: LabelFormat;
  classes: LabelClass[];
  notes: LabelNotes;
}

/** Reads labels in a worker, to where they can be asked for. */
async function reading<T>(
  input: LabelInput,
  options: ReadLabelsOptions,
  counts: boolean,
  take: (worker: Client, id: number, files: LabelFiles) => Promise<T>,
): Promise<T> {
  known(argument.options(options, "how to read labels"), NAMES.labels, "reading labels");
  const { pictures, signal, onProgress, limits = {}, http: _, name: __, ...how } = options;
  known(argument.options(limits, "limits"), NAMES.limits, "limits");
  signal?.throwIfAborted();
  if (pictures !== undefined && (await folderOf(pictures)) === null)
    throw hostError("usage.argument", "the images are given as their folder");
  const files = await abortable(labelFiles(input, pictures, options), signal);
  const { joined } = files;
  try {
    const worker = await client();
    const id = await call(worker, joined.name, "labelReader", [
      files.names,
      files.lengths,
      files.pictures,
      files.pictureLengths,
      JSON.stringify({ ...how, alone: files.alone, counts }),
      limits,
    ]);
    try {
      await drive(worker, id, joined, {
        signal,
        readsItself: true,
        onTurn: (turn, bytes) =>
          onProgress?.({ samples: turn.done, totalSamples: null, bytes, totalBytes: joined.byteLength }),
      });
      return await take(worker, id, files);
    } finally {
      void free(worker, id);
    }
  } finally {
    void joined.close?.();
  }
}

/** Takes pictures out of a worker, some at a time. */
export async function takePictures(
  worker: Client,
  name: string | undefined,
  labels: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<LabelPicture[]> {
  const pictures: LabelPicture[] = [];
  while (pictures.length < length) {
    signal?.throwIfAborted();
    const some = parsed<LabelPicture[]>(await call(worker, name, "labelsPictures", [labels, pictures.length, SOME]));
    for (const picture of some) pictures.push(picture);
    if (some.length === 0) break;
  }
  return pictures;
}

/**
 * Reads labels of any format: one file, or a folder of them. What the format is, is found out by content. A file that cannot
 * say by itself what is meant is refused, and `options` of the error names what has to be said.
 *
 * ```js
 * const labels = await readLabels(file); // COCO, YOLO, Pascal VOC, CVAT, Label Studio, ...
 * labels.pictures[0].annotations[0].box; // corners in pixels
 * ```
 */
export function readLabels(input: LabelInput, options: ReadLabelsOptions = {}): Promise<ReadLabels> {
  return reading(input, options, false, async (worker, id, { joined }) => {
    const { labels, about, length } = await call(worker, joined.name, "labelsRead", [id]);
    try {
      const { format, classes, notes } = parsed<About>(about);
      return {
        format,
        classes,
        pictures: await takePictures(worker, joined.name, labels, length, options.signal),
        notes,
      };
    } finally {
      void free(worker, labels);
    }
  });
}

/** Counts what is in labels. The annotations of a COCO file are counted as they come: its length does not matter. */
export function labelStats(input: LabelInput, options: ReadLabelsOptions = {}): Promise<LabelStats> {
  return reading(input, options, true, async (worker, id, { joined }) =>
    parsed<LabelStats>(await call(worker, joined.name, "labelStats", [id])),
  );
}

/** The extensions of files that may hold labels; others of a folder are not looked at. */
const MAY_HOLD = /\.(json|xml|txt|csv|yaml|yml|names|data)$/i;

/** The format of a file of labels, or of those of a folder, by their first bytes; `null` where there are none. */
export async function detectLabels(
  input: LabelInput,
  options: Pick<ReadLabelsOptions, "name" | "http" | "signal"> = {},
): Promise<LabelFormat | null> {
  known(argument.options(options, "how to read labels"), NAMES.detectLabels, "detectLabels");
  const { signal } = options;
  const { names, lengths, joined, alone } = await abortable(labelFiles(input, undefined, options), signal);
  const found = new Set<LabelFormat>();
  try {
    const worker = await client();
    let start = 0;
    for (const [k, name] of names.entries()) {
      const end = start + lengths[k]!;
      if (alone || MAY_HOLD.test(name)) {
        const head = await readExactly(joined, start, Math.min(end, start + HEAD), signal);
        const format = await call(worker, name, "labelsDetect", [name, head]);
        if (format !== null) found.add(format as LabelFormat);
      }
      start = end;
    }
  } finally {
    void joined.close?.();
  }
  if (found.size > 1)
    throw hostError("usage.argument", `labels of several formats are here: ${[...found].join(", ")}`, {
      file: joined.name,
    });
  return [...found][0] ?? null;
}

/**
 * The image of labels that each sample is, by their names: its number among `images`, or -1. An image is of one sample at most; a
 * name that could mean several is refused. `forebay convert --labels` and the loaders pair by the same function.
 */
export async function matchLabels(samples: readonly string[], images: readonly string[]): Promise<Int32Array> {
  return call(await client(), undefined, "labelsMatch", [[...samples], [...images]]);
}
