import { reportOf } from "../base/report.js";
import * as argument from "../base/arguments.js";
import { chosenAll } from "./chosen.js";
import { type ForebayError, hostError } from "../model/errors.js";
import { call, client, workerCount } from "../pool/pool.js";
import { isFault } from "./fields.js";
import type {
  AlikeSample,
  Dataset,
  Duplicates,
  DuplicatesOptions,
  Fault,
  Outliers,
  OutliersOptions,
  SampleInfo,
  Trait,
  ChosenOptions,
  WhereOptions,
} from "../model/index.js";

/** Numbers that say what is known of a sample, as the module lays them out. */
const NUMBERS = 13;
/** Where among them: whether it was looked at, its size, whether it has a hash. */
const [LOOKED, WIDTH, HEIGHT, HASHED] = [4, 5, 6, 7] as const;
/** The largest distance of hashes. */
const MOST_DISTANCE = 15;
/** Faults that are kept. */
export const KEPT = 20;
const TRAITS: { [T in Trait]: true } = {
  bytes: true,
  pixels: true,
  aspect: true,
  brightness: true,
  contrast: true,
  sharpness: true,
};
/** Traits for which pictures are decoded. */
const SEEN: readonly string[] = ["brightness", "contrast", "sharpness"] satisfies Trait[];

/** What a dataset is to this: samples by number. */
export interface Curated extends Pick<Dataset, "record" | "records"> {
  readonly name: string | undefined;
  readonly length: number;
  info(i: number): SampleInfo;
  matches(where: string, options: Omit<WhereOptions, "where">): Promise<Uint32Array>;
  read(i: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** What is known of samples so far: what was found for one question serves the next. */
export class Looks {
  readonly #digests = new Map<number, Uint32Array>();
  readonly #looks = new Map<number, Uint32Array>();

  get(i: number, look: boolean): Uint32Array | undefined {
    return this.#looks.get(i) ?? (look ? undefined : this.#digests.get(i));
  }
  keep(i: number, look: boolean, numbers: Uint32Array): void {
    (look ? this.#looks : this.#digests).set(i, numbers);
  }
  clear(): void {
    this.#digests.clear();
    this.#looks.clear();
  }
}

/** What was found of the samples that were looked at. */
export interface Found {
  samples: Uint32Array;
  bytes: Float64Array;
  numbers: Uint32Array;
  notPictures: number;
  faultCount: number;
  faults: Fault[];
}

/** A fault as reports have it. */
export const faultOf = (sample: number, e: ForebayError): Fault => ({
  code: e.code,
  kind: e.kind,
  message: e.message,
  section: e.section ?? null,
  sample,
  offset: e.offset ?? null,
});

/** Looks at samples, a few at a time in every worker. */
export async function lookAt(
  dataset: Curated,
  looks: Looks,
  wants: { bytes: boolean; look: boolean },
  { signal: _, onProgress, ...which }: ChosenOptions,
  signal: AbortSignal,
): Promise<Found> {
  const chosen = await chosenAll(dataset, which, signal);
  const found: (Uint32Array | null)[] = Array.from(chosen, () => null);
  const faults = new Map<number, ForebayError>();
  let [next, done, bytes, notPictures] = [0, 0, 0, 0];
  const one = async (k: number): Promise<void> => {
    const i = chosen[k]!;
    const info = dataset.info(i);
    const film = info.format === "mp4" || info.format === "avi";
    const unread = !wants.bytes && (!wants.look || film);
    let numbers = unread ? new Uint32Array(NUMBERS) : looks.get(i, wants.look && !film);
    if (!numbers) {
      const payload = await dataset.read(i, signal);
      const raw = info.format === "raw_u8" ? ([info.width, info.height] as const) : ([0, 0] as const);
      const look = async (look: boolean) =>
        // A copy goes: the bytes are asked for again where the picture is none.
        call(await client(), dataset.name, "look", [payload, ...raw, look]);
      try {
        numbers = await look(wants.look && !film);
      } catch (e) {
        if (!isFault(e)) throw e;
        const strange = e.code === "image.unsupported" && info.format === "unknown";
        if (!strange) faults.set(i, e);
        // Its bytes still count.
        numbers = await look(false);
      }
      looks.keep(i, numbers[LOOKED] === 1, numbers);
    }
    if (film || (wants.look && numbers[LOOKED] === 0 && !faults.has(i))) notPictures++;
    found[k] = numbers;
    bytes += info.bytes;
  };
  let failed = false;
  const turns = async (): Promise<void> => {
    while (next < chosen.length && !failed) {
      signal.throwIfAborted();
      const k = next++;
      try {
        await one(k);
      } catch (e) {
        if (!isFault(e)) {
          // Nobody hears of the rest: the others end with what they are at.
          failed = true;
          throw e;
        }
        faults.set(chosen[k]!, e);
      }
      if (failed) return;
      onProgress?.({ samples: ++done, totalSamples: chosen.length, bytes, totalBytes: null });
    }
  };
  await Promise.all(Array.from({ length: 2 * Math.max(1, workerCount()) }, turns));
  const kept = Array.from(chosen.keys()).filter((k) => found[k] !== null);
  const numbers = new Uint32Array(kept.length * NUMBERS);
  for (const [at, k] of kept.entries()) numbers.set(found[k]!, at * NUMBERS);
  return {
    samples: Uint32Array.from(kept, (k) => chosen[k]!),
    bytes: Float64Array.from(kept, (k) => dataset.info(chosen[k]!).bytes),
    numbers,
    notPictures,
    faultCount: faults.size,
    faults: [...faults]
      .sort(([a], [b]) => a - b)
      .slice(0, KEPT)
      .map(([sample, e]) => faultOf(sample, e)),
  };
}

/** One of a group, as the module says it. */
interface Member {
  readonly sample: number;
  readonly distance: number;
  readonly exact: boolean;
}

/** Groups among what was looked at, the best of each first; without a distance of the same bytes alone. */
export async function groupsOf(
  { name }: Curated,
  { samples, bytes, numbers }: Found,
  distance: number | undefined,
): Promise<Member[][]> {
  const text = await call(await client(), name, "duplicateGroups", [samples, bytes, numbers, distance]);
  return JSON.parse(text) as Member[][];
}

/** The largest distance of hashes, checked. */
export const distanceOf = (distance: number): number => argument.whole(distance, "the distance", 0, MOST_DISTANCE);

/** Groups of samples that are alike. */
export async function duplicatesOf(
  dataset: Curated,
  looks: Looks,
  options: DuplicatesOptions,
  signal: AbortSignal,
): Promise<Duplicates> {
  const { distance = 6, exact = false } = options;
  distanceOf(distance);
  const found = await lookAt(dataset, looks, { bytes: true, look: !exact }, options, signal);
  const { samples, numbers } = found;
  const place = new Map(Array.from(samples, (sample, at) => [sample, at]));
  const groups = (await groupsOf(dataset, found, exact ? undefined : distance)).map((group) =>
    group.map(({ sample, distance, exact }): AlikeSample => {
      const [at, info] = [place.get(sample)! * NUMBERS, dataset.info(sample)];
      const looked = numbers[at + LOOKED] === 1;
      const [width, height] = looked ? [numbers[at + WIDTH]!, numbers[at + HEIGHT]!] : [info.width, info.height];
      return { index: sample, distance, exact, width, height, bytes: info.bytes };
    }),
  );
  let plain = 0;
  for (let at = 0; at < numbers.length; at += NUMBERS)
    if (numbers[at + LOOKED] === 1 && numbers[at + HASHED] === 0) plain++;
  return {
    samples: samples.length,
    notPictures: found.notPictures,
    plain: exact ? 0 : plain,
    duplicates: groups.reduce((sum, group) => sum + group.length - 1, 0),
    groups,
    faultCount: found.faultCount,
    faults: found.faults,
  };
}

/** Samples that stand out. */
export async function outliersOf(
  dataset: Curated,
  looks: Looks,
  options: OutliersOptions,
  signal: AbortSignal,
): Promise<Outliers> {
  const { by = Object.keys(TRAITS) as Trait[], score = 3.5 } = options;
  for (const trait of argument.list(by, "traits")) {
    if (!Object.hasOwn(TRAITS, trait))
      throw hostError("usage.argument", `a trait is one of ${Object.keys(TRAITS).join(", ")}, not ${String(trait)}`);
  }
  if (!(score >= 0.5 && score <= 1e6))
    throw hostError("usage.argument", `the score of an outlier is at least 0.5, not ${String(score)}`);
  const look = by.some((trait) => SEEN.includes(trait));
  const found = await lookAt(dataset, looks, { bytes: false, look }, options, signal);
  const sizes = new Uint32Array(found.samples.length * 2);
  found.samples.forEach((sample, at) => {
    const { width, height } = dataset.info(sample);
    sizes.set([width, height], at * 2);
  });
  const { samples, bytes, numbers } = found;
  const args = [samples, bytes, sizes, numbers, by.join(","), score] as const;
  const text = await call(await client(), dataset.name, "findOutliers", [...args]);
  const report = reportOf<Pick<Outliers, "traits"> & { outliers: { sample: number; reasons: never[] }[] }>(text);
  return {
    samples: samples.length,
    notPictures: found.notPictures,
    traits: report.traits,
    outliers: report.outliers.map(({ sample, reasons }) => ({ index: sample, reasons })),
    faultCount: found.faultCount,
    faults: found.faults,
  };
}
