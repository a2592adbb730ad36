/** The map of a dataset: which samples are on it, how it is made, and that it is made once. */
import type { Dataset } from "../../../lib/src/model/index.ts";
import type { Rows } from "../ui/rows.ts";
import { layOut, type Work } from "./layout.ts";
import { SIDE, shrink } from "./small.ts";

/** As many pictures as a map has: of more than these, some of the file from beginning to end. */
export const MOST = 20_000;
/** Milliseconds of work after which the page has a turn. */
const SLICE = 10;

/** A map. */
export interface Similarity {
  /** The samples on it, in order. */
  readonly samples: Uint32Array;
  /** Two numbers of each, from 0 to 1. */
  readonly places: Float32Array;
  readonly aspects: Float32Array;
  /** All of them, small: squares of {@link SIDE} pixels, {@link Similarity.across} in a line. */
  readonly atlas: CanvasImageSource;
  readonly across: number;
  /** Samples that were looked at, and those of them that have no picture. */
  readonly looked: number;
  readonly without: number;
  /** Samples that it stands for. */
  readonly of: number;
}

/** How far it is made. */
export interface Making {
  readonly step: "reading" | "placing";
  /** From 0 to 1. */
  readonly part: number;
  readonly done: number;
}

/** How many samples a map of these rows stands for: all of a file that has few, else those of the filter. */
export const stoodFor = (rows: Rows): number => (rows.total <= MOST ? rows.total : rows.length);

/** Those of them that are on it: of too many, some at even distances. */
export function chosen(rows: Rows): Uint32Array {
  const few = rows.total <= MOST;
  const all = stoodFor(rows);
  const many = Math.min(MOST, all);
  const one = (k: number): number => {
    const at = Math.floor((k * all) / many);
    return few ? at : rows.at(at);
  };
  return Uint32Array.from({ length: many }, (_, k) => one(k)).sort();
}

/** Maps that were made, by what is open. */
const made = new WeakMap<Dataset, Similarity>();

/** The map of a dataset, if it was made. */
export const similarityOf = (dataset: Dataset): Similarity | null => made.get(dataset) ?? null;

/** Makes the map. */
export async function makeSimilarity(
  dataset: Dataset,
  rows: Rows,
  signal: AbortSignal,
  onProgress: (making: Making) => void,
): Promise<Similarity> {
  const wanted = chosen(rows);
  const small = await shrink(dataset, wanted, signal, (done) =>
    onProgress({ step: "reading", part: done / Math.max(1, wanted.length), done }),
  );
  const { samples, features, pixels, aspects, without } = small;
  const places = await inSlices(layOut(features, samples.length), signal, (part) =>
    onProgress({ step: "placing", part, done: samples.length }),
  );
  const across = Math.max(1, Math.ceil(Math.sqrt(samples.length)));
  const map: Similarity = {
    samples,
    places,
    aspects,
    atlas: atlasOf(pixels, samples.length, across),
    across,
    looked: wanted.length,
    without,
    of: stoodFor(rows),
  };
  made.set(dataset, map);
  return map;
}

/** All of the small pictures in one, so that drawing thousands of them is quick. */
function atlasOf(pixels: Uint8ClampedArray<ArrayBuffer>, count: number, across: number): CanvasImageSource {
  const atlas = new OffscreenCanvas(across * SIDE, Math.max(1, Math.ceil(count / across)) * SIDE);
  const g = atlas.getContext("2d")!;
  const size = SIDE * SIDE * 4;
  for (let k = 0; k < count; k++) {
    const one = new ImageData(pixels.slice(k * size, (k + 1) * size), SIDE, SIDE);
    g.putImageData(one, (k % across) * SIDE, Math.floor(k / across) * SIDE);
  }
  return atlas;
}

/** Does work a few milliseconds at a time, and lets the page draw and hear keys in between. */
async function inSlices<T>(work: Work<T>, signal: AbortSignal, onProgress: (part: number) => void): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE;
    let part = 0;
    do {
      const { done, value } = work.next();
      if (done) return value;
      part = value;
    } while (performance.now() < until);
    onProgress(part);
    await turn();
    signal.throwIfAborted();
  }
}

/** What comes next in the page comes first. Timers would wait longer each time. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
