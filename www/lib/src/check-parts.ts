import type { CheckReport, IndexColumns } from "./types.js";

/** Payload bytes that are worth a part of their own: beginning one takes time too. */
const SHARE = 32 << 20;
/** Faults and notes that a report has at most. */
const KEPT = 100_000;

/** Samples from the first up to the second. */
export type Part = [start: number, end: number];

/**
 * Runs of samples for so many workers, each run nine tenths of what would be a worker's share of what is left: who begins late
 * or is slow leaves more to the others, and at the end nobody waits long for the last.
 */
export function partsOf({ storedBytes }: IndexColumns, workers: number): Part[] {
  const length = storedBytes.length;
  const total = storedBytes.reduce((sum, bytes) => sum + bytes, 0);
  if (workers < 2 || total < 2 * SHARE) return [[0, length]];
  const parts: Part[] = [];
  let [start, bytes, left] = [0, 0, total];
  for (let i = 0; i < length; i++) {
    bytes += storedBytes[i]!;
    if (bytes < Math.max(SHARE, (left * 9) / (10 * workers)) || left - bytes < SHARE) continue;
    parts.push([start, i + 1]);
    left -= bytes;
    [start, bytes] = [i + 1, 0];
  }
  // The last has what is left, and says what is wrong behind the samples.
  return [...parts, [start, length]];
}

/** Takes parts, one after the other, until none is left. */
export type All = (one: (k: number) => Promise<void>) => Promise<void>;

/**
 * Has so many parts done by whoever is free: by the first from the start, by `others` as they come, who each begin only
 * if there is still something to take. Once one fails, no further part begins.
 */
export async function shared(count: number, first: (all: All) => Promise<void>, others: (take: (other: (all: All) => Promise<void>) => Promise<void>) => Promise<void>): Promise<void> {
  let next = 0;
  const all: All = async (one) => {
    while (next < count) await one(next++);
  };
  const take = async (other: (all: All) => Promise<void>) => (next < count ? other(all) : undefined);
  try {
    await Promise.all([first(all), count > 1 ? others(take) : undefined]);
  } finally {
    next = count;
  }
}

/** The reports of all parts as that of the whole. */
export function merged(reports: readonly CheckReport[]): CheckReport {
  const [first, ...others] = reports as [CheckReport, ...CheckReport[]];
  return others.reduce(
    (all, { ok, fault_count, faults, notes }) => ({
      ...all,
      ok: all.ok && ok,
      fault_count: all.fault_count + fault_count,
      faults: [...all.faults, ...faults].slice(0, KEPT),
      notes: [...all.notes, ...notes].slice(0, KEPT),
    }),
    first,
  );
}
