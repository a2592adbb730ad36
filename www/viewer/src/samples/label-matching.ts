/** Which pictures of a label file are which samples of a dataset, and which are none. */
import type { Dataset, LabelClass, LabelPicture, ReadLabels } from "../../../lib/src/model/index.ts";
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

const last = (name: string): string => name.split(/[\\/]/).pop()!;
const stem = (name: string): string => last(name).replace(/\.[^.]*$/, "");

/** What names are compared by, the strictest first. */
const KEYS: readonly ((name: string) => string)[] = [(name) => name, last, stem];

/** Keys that more than one has are nobody's. */
function unique<T>(all: readonly (readonly [string, T])[]): Map<string, T> {
  const found = new Map<string, T>();
  const twice = new Set<string>();
  for (const [key, value] of all) {
    if (found.has(key)) twice.add(key);
    found.set(key, value);
  }
  for (const key of twice) found.delete(key);
  return found;
}

/** The sample of each picture. Who has its very name comes before all that are only like it. */
function samplesOf(
  pictures: readonly LabelPicture[],
  ways: readonly ReadonlyMap<string, number>[],
): (number | undefined)[] {
  const found = new Array<number | undefined>(pictures.length).fill(undefined);
  const taken = new Set<number>();
  for (const [k, way] of ways.entries())
    for (const [at, { name }] of pictures.entries()) {
      const i = found[at] === undefined ? way.get(KEYS[k]!(name)) : undefined;
      if (i === undefined || taken.has(i)) continue;
      found[at] = i;
      taken.add(i);
    }
  return found;
}

/** Finds pictures by their whole names, else by the last part, else by that without its extension, if only one has it. */
export async function matched(
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
  const ways = KEYS.map((key) =>
    unique(names.map((text, i) => [key(text), i] as const).filter(([text]) => text !== "")),
  );
  const pictures = new Map<number, LabelPicture>();
  const unmatched: string[] = [];
  const samples = samplesOf(labels.pictures, ways);
  for (const [at, picture] of labels.pictures.entries()) {
    const i = samples[at];
    if (i === undefined) unmatched.push(picture.name);
    else pictures.set(i, picture);
  }
  const { counts, texts } = labels.notes;
  return {
    name,
    format: labels.format,
    find: inLabels(pictures, labels.classes),
    classes: labels.classes,
    matched: pictures.size,
    samples: [...pictures.keys()].sort((a, b) => a - b),
    unmatched,
    unlabelled: dataset.length - pictures.size,
    notes: [...counts.map(({ meaning, count }) => `${meaning}: ${count}`), ...texts],
  };
}
