/** What the index's columns say about all samples, and about those that the filter accepts. */
import type { IndexColumns } from "../../../lib/src/model/index.ts";

/** The formats by their numbers. */
export const FORMATS = ["unknown", "jpeg", "png", "webp", "bmp", "tiff", "mp4", "avi", "raw_u8"] as const;

const PIXELS = [
  1, 16, 32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 1024, 1280, 1536, 2048, 3072, 4096, 8192,
  16384, 65536,
];
const ASPECTS = [0, 0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.5, 4, 1e9];
const SIZES = [0, ...Array.from({ length: 42 }, (_, k) => 2 ** k)];

/** A number of the index that is shown as a histogram. */
export type Measure = "width" | "height" | "aspect" | "bytes";

/** The edges between which a measure is counted. */
export const EDGES: Readonly<Record<Measure, readonly number[]>> = {
  width: PIXELS,
  height: PIXELS,
  aspect: ASPECTS,
  bytes: SIZES,
};

/** A histogram, trimmed to the buckets that hold anything. */
export interface Histogram {
  readonly measure: Measure;
  /** One more than there are buckets. */
  readonly edges: readonly number[];
  readonly all: readonly number[];
  readonly kept: readonly number[];
  /** Samples whose value the index does not know. */
  readonly unknown: number;
}

/** Everything that the facets show. */
export interface Facets {
  readonly formats: readonly { readonly format: string; readonly all: number; readonly kept: number }[];
  readonly histograms: readonly Histogram[];
  readonly damaged: number;
  /** Samples whose width and height are not known. */
  readonly unsized: number;
}

/** Samples counted before the page gets a turn. */
const SLICE = 200_000;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** The bucket of a value: the last edge that is not above it. */
function bucketOf(edges: readonly number[], value: number): number {
  let low = 0;
  let high = edges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

class Counter {
  readonly formats = new Float64Array(256);
  readonly buckets = {
    width: new Float64Array(64),
    height: new Float64Array(64),
    aspect: new Float64Array(64),
    bytes: new Float64Array(64),
  };
  unknown = 0;
  damaged = 0;

  add(columns: IndexColumns, i: number): void {
    if (columns.codec[i] === 255) {
      this.damaged++;
      return;
    }
    this.formats[columns.format[i]!]!++;
    this.buckets.bytes[bucketOf(SIZES, columns.bytes[i]!)]!++;
    const width = columns.width[i]!;
    const height = columns.height[i]!;
    if (width === 0 || height === 0) {
      this.unknown++;
      return;
    }
    this.buckets.width[bucketOf(PIXELS, width)]!++;
    this.buckets.height[bucketOf(PIXELS, height)]!++;
    this.buckets.aspect[bucketOf(ASPECTS, width / height)]!++;
  }
}

/** Counts; lets the page breathe in between. `kept` of `null` stands for all. */
export async function countFacets(
  columns: IndexColumns,
  kept: Uint32Array | null,
  signal: AbortSignal,
): Promise<Facets> {
  const all = new Counter();
  const total = columns.format.length;
  for (let i = 0; i < total; i++) {
    all.add(columns, i);
    if (i % SLICE === SLICE - 1) await pause();
    if (signal.aborted) throw signal.reason;
  }
  let some = all;
  if (kept) {
    some = new Counter();
    for (let k = 0; k < kept.length; k++) {
      some.add(columns, kept[k]!);
      if (k % SLICE === SLICE - 1) await pause();
      if (signal.aborted) throw signal.reason;
    }
  }
  const formats = FORMATS.map((format, code) => ({ format, all: all.formats[code]!, kept: some.formats[code]! }))
    .filter((f) => f.all > 0)
    .sort((a, b) => b.all - a.all);
  const histograms = (Object.keys(EDGES) as Measure[]).map((measure) => trim(measure, all, some));
  return {
    formats,
    histograms: histograms.filter((h) => h.all.length > 0),
    damaged: all.damaged,
    unsized: all.unknown,
  };
}

function trim(measure: Measure, all: Counter, some: Counter): Histogram {
  const counts = all.buckets[measure];
  const edges = EDGES[measure];
  let first = 0;
  let last = edges.length - 2;
  while (first <= last && counts[first] === 0) first++;
  while (last >= first && counts[last] === 0) last--;
  return {
    measure,
    edges: edges.slice(first, last + 2),
    all: Array.from(counts.slice(first, last + 1)),
    kept: Array.from(some.buckets[measure].slice(first, last + 1)),
    unknown: measure === "bytes" ? 0 : all.unknown,
  };
}

/** The filter expression for a range of buckets. */
export function rangeExpression(histogram: Histogram, from: number, to: number): string {
  const low = histogram.edges[from]!;
  const high = histogram.edges[to + 1]!;
  const above = `${histogram.measure} >= ${low}`;
  return high >= 1e9 && histogram.measure === "aspect" ? above : `${above} && ${histogram.measure} < ${high}`;
}
