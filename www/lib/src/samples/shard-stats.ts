/** Statistics of several files as those of all. */
import type { Bucket, ClassStats, Spread, Stats } from "../model/index.js";

/** Statistics of a file, and the number of its first sample. */
export type PartStats = readonly [start: number, stats: Stats];

/** Extremes of all; each part's mean counts as often as it has samples of which the number is known. */
function spread(parts: readonly (readonly [start: number, found: Spread | null, samples: number])[]): Spread | null {
  let all: Spread | null = null;
  let counted = 0;
  for (const [start, found, samples] of parts) {
    if (!found || samples === 0) continue;
    const here = { ...found, minAt: found.minAt + start, maxAt: found.maxAt + start };
    const mean: number = all ? (all.mean * counted + here.mean * samples) / (counted + samples) : here.mean;
    const least: Spread = all && all.min <= here.min ? all : here;
    const most: Spread = all && all.max >= here.max ? all : here;
    all = { min: least.min, minAt: least.minAt, max: most.max, maxAt: most.maxAt, mean };
    counted += samples;
  }
  return all;
}

/** Buckets have the same bounds in every file. */
function buckets(lists: readonly (readonly Bucket[])[]): Bucket[] {
  const found = new Map<number, Bucket>();
  for (const bucket of lists.flat()) {
    const known = found.get(bucket.from);
    found.set(bucket.from, known ? { ...known, samples: known.samples + bucket.samples } : bucket);
  }
  return [...found.values()].sort((a, b) => a.from - b.from);
}

/** The statistics of all parts together, which have these classes. */
export function mergedStats(parts: readonly PartStats[], classes: ClassStats): Stats {
  const stats = parts.map(([, one]) => one);
  const sum = (of: (one: Stats) => number) => stats.reduce((all, one) => all + of(one), 0);
  const formats = new Map<string, Stats["formats"][number]>();
  for (const { format, samples } of stats.flatMap((one) => one.formats))
    formats.set(format, { format, samples: samples + (formats.get(format)?.samples ?? 0) });
  const known = (one: Stats) => one.samples - one.unknownSize;
  const [bytes, storedBytes] = [sum((one) => one.bytes), sum((one) => one.storedBytes)];
  return {
    samples: sum((one) => one.samples),
    bytes,
    storedBytes,
    ratio: storedBytes > 0 ? bytes / storedBytes : null,
    formats: [...formats.values()].sort((a, b) => b.samples - a.samples),
    sampleBytes: spread(parts.map(([start, one]) => [start, one.sampleBytes, one.samples])),
    unknownSize: sum((one) => one.unknownSize),
    width: spread(parts.map(([start, one]) => [start, one.width, known(one)])),
    height: spread(parts.map(([start, one]) => [start, one.height, known(one)])),
    bytesHistogram: buckets(stats.map((one) => one.bytesHistogram)),
    widthHistogram: buckets(stats.map((one) => one.widthHistogram)),
    heightHistogram: buckets(stats.map((one) => one.heightHistogram)),
    aspectHistogram: buckets(stats.map((one) => one.aspectHistogram)),
    classes,
  };
}
