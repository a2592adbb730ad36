import type { CheckReport, IndexColumns } from "../model/index.js";

/** Payload bytes from which on several workers share a check: a further one must start, and open the file. */
const SHARED = 64 << 20;
/** Payload bytes of the smallest parts, one of which may be waited for at the end: beginning one takes time too. */
const LEAST = 8 << 20;
/** Faults and notes that a report has at most. */
const KEPT = 100_000;

/** Samples from the first up to the second. */
export type Part = [start: number, end: number];

/**
 * Runs of samples for this many workers, to be taken from the last on: the last has what stands behind the samples
 * besides, which takes as long as many of them. Each is nine tenths of what would be a worker's share of what is left:
 * who begins late or is slow leaves more to the others, and at the end nobody waits long for anybody.
 */
export function partsOf({ storedBytes }: IndexColumns, workers: number): Part[] {
  const length = storedBytes.length;
  const total = storedBytes.reduce((sum, bytes) => sum + bytes, 0);
  if (workers < 2 || total < SHARED) return [[0, length]];
  const parts: Part[] = [];
  let [end, bytes, left] = [length, 0, total];
  for (let i = length - 1; i >= 0; i--) {
    bytes += storedBytes[i]!;
    if (bytes < Math.max(LEAST, (left * 9) / (10 * workers)) || left - bytes < LEAST) continue;
    parts.push([i, end]);
    left -= bytes;
    [end, bytes] = [i, 0];
  }
  return [...parts, [0, end] satisfies Part].reverse();
}

/** Takes parts, one after the other, until none is left. */
export type All = (one: (k: number) => Promise<void>) => Promise<void>;

/**
 * Has this many parts done, from the last on, by whoever is free: by the first from the start, by `others` as they
 * come, who each begin only if there is still something to take. Once one fails, no further part begins.
 */
export async function shared(
  count: number,
  first: (all: All) => Promise<void>,
  others: (take: (other: (all: All) => Promise<void>) => Promise<void>) => Promise<void>,
): Promise<void> {
  let left = count;
  const all: All = async (one) => {
    while (left > 0) await one(--left);
  };
  const take = async (other: (all: All) => Promise<void>) => (left > 0 ? other(all) : undefined);
  try {
    await Promise.all([first(all), count > 1 ? others(take) : undefined]);
  } finally {
    left = 0;
  }
}

/** The reports of all parts as that of the whole. */
export function merged(reports: readonly CheckReport[]): CheckReport {
  return {
    ...reports[0]!,
    ok: reports.every(({ ok }) => ok),
    faultCount: reports.reduce((sum, { faultCount }) => sum + faultCount, 0),
    faults: reports.flatMap(({ faults }) => faults).slice(0, KEPT),
    notes: reports.flatMap(({ notes }) => notes).slice(0, KEPT),
  };
}
