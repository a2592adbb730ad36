import * as argument from "../base/arguments.js";
import { NAMES, known } from "../base/option-names.js";
import { reportOf } from "../base/report.js";
import { OpenEdits } from "../edits/edits.js";
import { hostError } from "../model/errors.js";
import type {
  Dataset,
  Edits,
  ExportLabelsOptions,
  ExportedLabels,
  FolderSink,
  LabelPicture,
  Labels,
  Output,
  Source,
  WrittenLabelFormat,
} from "../model/index.js";
import { drive, free } from "../pool/drive.js";
import { call, type Client } from "../pool/pool.js";
import { OpenDataset } from "../samples/dataset.js";
import { orGivenUp, runConversion, type ConversionRun } from "../sink/conversion.js";
import { memorySink } from "../sink/sinks.js";
import { isWarehouse } from "../warehouse/warehouse.js";
import { labelsOf } from "./of-dataset.js";
import { FILES, asFolder, writeLabels } from "./write.js";

/** What begins an export in a worker: what it is told, as JSON. */
type Begin = (told: string) => Promise<number>;

/**
 * Writes the labels of samples, as they stand in their metadata, in a format of labels: what `forebay labels convert` makes of
 * the file, byte for byte. A journal stands for its dataset with the changes. All of it happens in a worker, where the metadata is
 * read and the file is made some pictures at a time: nothing of a sample comes into the page.
 *
 * ```js
 * const { pictures, losses } = await exportLabels(dataset, "coco", sink);
 * await exportLabels(await dataset.edit(), "yolo", await showDirectoryPicker({ mode: "readwrite" }));
 * ```
 */
export async function exportLabels(
  of: Dataset | Edits,
  format: WrittenLabelFormat,
  output: Output | FolderSink | FileSystemDirectoryHandle,
  options: ExportLabelsOptions = {},
): Promise<ExportedLabels> {
  if (typeof output !== "object" || output === null)
    throw hostError("usage.argument", "labels are written to a file's or a folder's handle, a Sink or a FolderSink");
  return orGivenUp(output, options?.signal, () => exported(of, format, output, options));
}

async function exported(
  of: Dataset | Edits,
  format: WrittenLabelFormat,
  output: Output | FolderSink | FileSystemDirectoryHandle,
  options: ExportLabelsOptions,
): Promise<ExportedLabels> {
  known(argument.options(options, "how to export labels"), NAMES.exportLabels, "exporting labels");
  argument.options(of, "what labels are of");
  const { where, indexes, signal, onProgress, ...how } = options;
  if (!Object.hasOwn(FILES, format))
    throw hostError("usage.argument", `labels are written as ${Object.keys(FILES).join(", ")}, not ${String(format)}`);
  const write = (client: Client, begin: Begin, source: Source, signal: AbortSignal, total: number) => {
    const onTurn: ConversionRun["onTurn"] = ({ done }, bytes) =>
      onProgress?.({ samples: done, totalSamples: total, bytes, totalBytes: null });
    const begun = (folder: boolean) => begin(JSON.stringify({ ...how, to: format, folder }));
    return written(client, begun, source, format, output, { signal, onTurn });
  };
  if (of instanceof OpenEdits) {
    if (where !== undefined || indexes !== undefined)
      throw hostError("usage.argument", "the labels of a journal are those of all of its samples", { file: of.name });
    return of.over(signal, ({ client, journal, source, length, blobs }) => {
      const begin: Begin = (told) => call(client, of.name, "editsExportLabels", [journal, told, length, blobs]);
      return write(client, begin, source, signal ?? new AbortController().signal, of.samples);
    });
  }
  if (!(of instanceof OpenDataset) || isWarehouse(of) || of.format === "zip")
    return slowly(of as Dataset, format, output, options);
  const chosen =
    where === undefined && indexes === undefined
      ? null
      : await of.chosen({
          ...(where !== undefined && { where }),
          ...(indexes !== undefined && { indexes }),
          ...(signal && { signal }),
        });
  return of.work(
    signal,
    (client, handle, inner) => {
      const begin: Begin = (told) => call(client, of.name, "exportLabels", [handle, told, chosen]);
      return write(client, begin, of.source, inner, chosen?.length ?? of.length);
    },
    "labels",
  );
}

/** Writes into a file or a folder what a worker makes. */
async function written(
  client: Client,
  begin: (folder: boolean) => Promise<number>,
  source: Source,
  format: WrittenLabelFormat,
  output: Output | FolderSink | FileSystemDirectoryHandle,
  how: ConversionRun,
): Promise<ExportedLabels> {
  const name = FILES[format];
  const into = async (file: Output) =>
    reportOf<ExportedLabels>(await runConversion(client, () => begin(false), source, file, how));
  const folder = asFolder(output);
  if (!folder) return into(output as Output);
  if (name !== null && "getDirectoryHandle" in output) return into(await output.getFileHandle(name, { create: true }));
  let report: ExportedLabels;
  if (name === null) report = await intoFolder(client, await begin(true), source, folder, how);
  else {
    const file = memorySink();
    report = await into(file);
    await folder.put(name, file.bytes());
  }
  await folder.close?.();
  return report;
}

/** Puts the files into a folder as they come. */
async function intoFolder(
  client: Client,
  job: number,
  source: Source,
  folder: FolderSink,
  { signal, onTurn }: ConversionRun,
): Promise<ExportedLabels> {
  try {
    await drive(client, job, source, {
      signal,
      async onTurn(turn, bytes) {
        const files = turn.files ?? [];
        for (let k = 0; k < files.length; k += 2) {
          signal.throwIfAborted();
          await folder.put(files[k] as string, files[k + 1] as Uint8Array);
        }
        onTurn(turn, bytes);
      },
    });
    return reportOf<ExportedLabels>((await call(client, source.name, "text", [job])) ?? "{}");
  } finally {
    void free(client, job);
  }
}

/** Where the module that exports does not know the file: warehouses, ZIP, several files as one. */
async function slowly(
  dataset: Dataset,
  format: WrittenLabelFormat,
  output: Output | FolderSink | FileSystemDirectoryHandle,
  { where, indexes, project, signal, onProgress, ...how }: ExportLabelsOptions,
): Promise<ExportedLabels> {
  const [option] = Object.keys(how);
  if (option !== undefined)
    throw hostError("usage.argument", `${option} says something of the metadata of one TBL or TAR`, {
      file: dataset.name,
    });
  const shared = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
  const labels: Labels = await labelsOf(dataset, {
    ...shared,
    ...(where !== undefined && { where }),
    ...(indexes !== undefined && { indexes }),
  });
  const annotations = labels.pictures.reduce((sum, { annotations }: LabelPicture) => sum + annotations.length, 0);
  const unlabelled = labels.pictures.filter((one) => one.unlabelled && one.annotations.length === 0).length;
  const done = await writeLabels(labels, format, output, { ...(project && { project }), ...(signal && { signal }) });
  const notes = { counts: [], texts: [], more: 0 };
  return { ...done, pictures: labels.pictures.length, annotations, unlabelled, notes };
}
