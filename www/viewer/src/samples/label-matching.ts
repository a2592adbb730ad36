/** Which pictures of a label file are which samples of a dataset, and which are none. */
import type { Dataset, LabelClass, LabelPicture, ReadLabels } from "../../../lib/src/model/index.ts";
import type { LabelEngine } from "../files/engine.ts";
import { inLabels, type FindBoxes } from "./box-source.ts";
import { walkRecords } from "./walk.ts";

/** Labels that lie over a dataset. */
export interface GivenLabels {
  readonly name: string;
  readonly format: string;
  readonly find: FindBoxes;
  /** Their classes, in the order that gives them their numbers. */
  readonly classes: readonly LabelClass[];
  /** Pictures of the labels that are samples, */
  readonly matched: number;
  readonly samples: readonly number[];
  /** and the names of those that are none. */
  readonly unmatched: readonly string[];
  /** Samples of which the labels say nothing. */
  readonly unlabelled: number;
  readonly notes: readonly string[];
}

/** Finds the samples of images as the command does; a name that could mean several is an error. */
export async function matched(
  engine: LabelEngine,
  dataset: Dataset,
  labels: ReadLabels,
  name: string,
  signal: AbortSignal,
  onProgress?: (done: number, total: number) => void,
): Promise<GivenLabels> {
  // A TBL keeps its names in the metadata.
  const indexed = dataset.schema.some((field) => field.name === "name" && field.indexed);
  if (!indexed)
    await walkRecords(dataset, () => undefined, { signal, fields: ["name"], ...(onProgress && { onProgress }) });
  const names = Array.from({ length: dataset.length }, (_, i) => dataset.nameOf(i) ?? "");
  const found = await engine.match(
    names,
    labels.pictures.map((picture) => picture.name),
  );
  const pictures = new Map<number, LabelPicture>();
  const taken = new Set<number>();
  for (const [i, k] of found.entries()) {
    if (k < 0) continue;
    pictures.set(i, labels.pictures[k]!);
    taken.add(k);
  }
  const unmatched = labels.pictures.filter((_, k) => !taken.has(k)).map((picture) => picture.name);
  const { counts, texts } = labels.notes;
  return {
    name,
    format: labels.format,
    find: inLabels(pictures, labels.classes),
    classes: labels.classes,
    matched: pictures.size,
    samples: [...pictures.keys()],
    unmatched,
    unlabelled: dataset.length - pictures.size,
    notes: [...counts.map(({ meaning, count }) => `${meaning}: ${count}`), ...texts],
  };
}
