/** Pictures as few pixels: what the map compares, and what it draws where they are many. */
import type { Dataset } from "../../../lib/src/model/index.ts";
import { decode } from "../samples/picture.ts";
import { storedThumb } from "../samples/strips.ts";
import { isAbort } from "../ui/wording.ts";

/** Pixels of a side that are drawn, */
export const SIDE = 16;
/** and that are compared. */
const COMPARED = 8;
/** Numbers that are compared: light and two of color for each pixel. */
export const FEATURES = COMPARED * COMPARED * 3;
/** Pictures are decoded to this size at least, and shrunk from there. */
const DECODED = 48;
/** Pictures that are read at once, and those of them that are decoded. */
const AT_ONCE = 16;
const LANES = 4;
/** How much color counts beside light. */
const COLOR = 1.4;

/** What is known of the pictures that could be drawn, in the order of their numbers. */
export interface Small {
  readonly samples: Uint32Array;
  /** {@link FEATURES} of each. */
  readonly features: Float32Array;
  /** Pixels of each, {@link SIDE} by {@link SIDE}, with four bytes. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  /** Width through height of each. */
  readonly aspects: Float32Array;
  /** Samples without a picture that the browser draws. */
  readonly without: number;
}

/** Reads and shrinks pictures, telling how many are done. */
export async function shrink(
  dataset: Dataset,
  samples: Uint32Array,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<Small> {
  const size = SIDE * SIDE * 4;
  const pixels = new Uint8ClampedArray(samples.length * size);
  const aspects = new Float32Array(samples.length);
  const canvas = new OffscreenCanvas(SIDE, SIDE);
  const g = canvas.getContext("2d", { willReadFrequently: true })!;
  g.imageSmoothingQuality = "high";
  const turn = lanes(LANES);
  let [next, done] = [0, 0];
  const one = async (k: number): Promise<void> => {
    const i = samples[k]!;
    const { bitmap, width, height } =
      (await storedThumb(dataset, i, DECODED, signal, turn)) ??
      (await decode(dataset, i, { signal, edge: DECODED, turn }));
    // What can be seen through lies on gray.
    g.fillStyle = "#808080";
    g.fillRect(0, 0, SIDE, SIDE);
    g.drawImage(bitmap, 0, 0, SIDE, SIDE);
    bitmap.close();
    pixels.set(g.getImageData(0, 0, SIDE, SIDE).data, k * size);
    aspects[k] = width / Math.max(1, height);
  };
  const work = async (): Promise<void> => {
    while (next < samples.length) {
      signal.throwIfAborted();
      const k = next++;
      try {
        await one(k);
      } catch (e) {
        if (signal.aborted || isAbort(e)) throw e;
        // A picture that does not come, whatever the reason, has no place; how many those are is said.
      }
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return packed(samples, pixels, aspects);
}

/** Leaves out what has no picture, and measures the others. */
function packed(samples: Uint32Array, pixels: Uint8ClampedArray<ArrayBuffer>, aspects: Float32Array): Small {
  const size = SIDE * SIDE * 4;
  const there = Array.from(samples.keys()).filter((k) => aspects[k]! > 0);
  const features = new Float32Array(there.length * FEATURES);
  for (const [to, k] of there.entries()) {
    if (to !== k) pixels.copyWithin(to * size, k * size, (k + 1) * size);
    measure(pixels.subarray(to * size, (to + 1) * size), features.subarray(to * FEATURES, (to + 1) * FEATURES));
  }
  return {
    samples: Uint32Array.from(there, (k) => samples[k]!),
    features,
    pixels: pixels.slice(0, there.length * size),
    aspects: Float32Array.from(there, (k) => aspects[k]!),
    without: samples.length - there.length,
  };
}

/** Light and color of a picture in squares of pixels, from 0 to 1. */
export function measure(pixels: Uint8ClampedArray, features: Float32Array): void {
  const across = SIDE / COMPARED;
  for (let y = 0; y < COMPARED; y++)
    for (let x = 0; x < COMPARED; x++) {
      let [red, green, blue] = [0, 0, 0];
      for (let v = 0; v < across; v++)
        for (let u = 0; u < across; u++) {
          const at = ((y * across + v) * SIDE + x * across + u) * 4;
          red += pixels[at]!;
          green += pixels[at + 1]!;
          blue += pixels[at + 2]!;
        }
      const all = across * across * 255;
      const light = (0.299 * red + 0.587 * green + 0.114 * blue) / all;
      const at = (y * COMPARED + x) * 3;
      features[at] = light;
      features[at + 1] = COLOR * 0.713 * (red / all - light);
      features[at + 2] = COLOR * 0.564 * (blue / all - light);
    }
}

/** Lets this many in at a time. */
function lanes(many: number): <T>(body: () => Promise<T>) => Promise<T> {
  const ends: Promise<unknown>[] = Array.from({ length: many }, () => Promise.resolve());
  let lane = 0;
  return (body) => {
    const at = lane++ % many;
    const result = ends[at]!.then(body);
    ends[at] = result.catch(() => undefined);
    return result;
  };
}
