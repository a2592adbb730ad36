import * as argument from "../base/arguments.js";
import { stringifyExactly } from "../base/exact.js";
import { NAMES, known } from "../base/option-names.js";
import type {
  Dataset,
  Json,
  LabelAnnotation,
  LabelClass,
  LabelPicture,
  Labels,
  SamplesOptions,
} from "../model/index.js";
import { free } from "../pool/drive.js";
import { call, client } from "../pool/pool.js";
import { isWarehouse } from "../warehouse/warehouse.js";
import { parsed } from "./json.js";
import { chosenOf } from "../samples/chosen.js";
import { ShardedDataset } from "../samples/sharded.js";
import { lookAtMany, sizesOf } from "../samples/sizes.js";
import { takePictures } from "./read.js";

/** Samples that are looked at together: a message of the worker for each would take most of the time. */
const TOGETHER = 1024;

/**
 * The labels of a dataset: the boxes of a warehouse, or what the metadata of a TBL or TAR says, as `forebay convert --labels`
 * writes it. Pictures whose metadata says nothing of what is in them are `unlabelled`.
 *
 * ```js
 * await writeLabels(await labelsOf(dataset), "coco", sink);
 * ```
 */
export async function labelsOf(
  dataset: Dataset,
  options: Pick<SamplesOptions, "where" | "indexes" | "signal" | "onProgress"> = {},
): Promise<Labels> {
  known(argument.options(options, "whose labels"), NAMES.samples, "labelsOf");
  const { signal, onProgress } = options;
  const chosen = await chosenOf(dataset, options);
  const each: Each = async (take) => {
    const how = {
      batch: TOGETHER,
      ...(chosen && { indexes: chosen }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    };
    for await (const { indexes, records } of dataset.records(how)) await take(indexes, records);
  };
  return isWarehouse(dataset)
    ? ofWarehouse(dataset.manifest.classes, dataset, each)
    : ofRecords(dataset, chosen, each, signal);
}

type Each = (take: (indexes: Uint32Array, records: readonly Json[]) => Promise<void>) => Promise<void>;

/** Boxes of a warehouse are of the stored picture, whatever it was made of. */
async function ofWarehouse(names: readonly string[] | null, dataset: Dataset, each: Each): Promise<Labels> {
  const classes: LabelClass[] = (names ?? []).map((name) => ({ name }));
  const pictures: LabelPicture[] = [];
  await each(async (indexes, records) => {
    for (const [k, i] of indexes.entries()) {
      const { width, height } = dataset.info(i);
      const { name, boxes } = records[k] as unknown as {
        name: string;
        boxes: { box: [number, number, number, number]; class?: number }[];
      };
      const annotations = boxes.map(({ box: [x0, y0, x1, y1], class: number }): LabelAnnotation => {
        const box: LabelAnnotation["box"] = [x0 * width, y0 * height, x1 * width, y1 * height];
        return { shape: "box", box, ...(number !== undefined && number < classes.length && { class: number }) };
      });
      pictures.push({ name: pictureName(name), width, height, annotations });
    }
  });
  return { classes, pictures };
}

/** What a sample's picture is called as a file: tensors have no ending of their own. */
const pictureName = (name: string): string => (/\.[a-z]{3,4}$/i.test(name) ? name : `${name}.png`);

async function ofRecords(
  dataset: Dataset,
  chosen: Uint32Array | null,
  each: Each,
  signal = new AbortController().signal,
): Promise<Labels> {
  const worker = await client();
  const document = await dataset.document({ signal });
  const id = await call(worker, dataset.name, "labelsOfDocument", [stringifyExactly(document)]);
  try {
    let length = 0;
    await lookAtMany(dataset, chosen, signal);
    await each(async (indexes, records) => {
      const sizes = await sizesOf(dataset, indexes, signal);
      const named = Array.from(indexes, (i, k): [string, string, number, number] => {
        const { extension } = dataset.info(i);
        const [width, height] = sizes[k]!;
        const record = records[k]!;
        const own = record !== null && typeof record === "object" && !Array.isArray(record) ? record.name : undefined;
        const among = (name: string) => (dataset instanceof ShardedDataset ? dataset.nameAmong(i, name) : name);
        const numbered = `${String(i).padStart(8, "0")}.${extension}`;
        const name = dataset.nameOf(i) ?? (typeof own === "string" ? among(own) : numbered);
        return [stringifyExactly(record), name, width, height];
      });
      await call(worker, dataset.name, "labelsAddRecords", [id, named]);
      length += named.length;
    });
    const { classes } = parsed<{ classes: LabelClass[] }>(await call(worker, dataset.name, "labelsAbout", [id]));
    return { classes, pictures: await takePictures(worker, dataset.name, id, length, signal) };
  } finally {
    void free(worker, id);
  }
}
