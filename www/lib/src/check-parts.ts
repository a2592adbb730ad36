import type { CheckReport, IndexColumns } from "./types.js";

/** Payload bytes that are worth a worker of their own: opening the file there takes time too. */
const SHARE = 32 << 20;
/** Faults and notes that a report has at most. */
const KEPT = 100_000;

/** Runs of samples of about as many bytes each, one for each of at most so many workers. */
export function partsOf({ storedBytes }: IndexColumns, workers: number): [start: number, end: number][] {
  const length = storedBytes.length;
  const total = storedBytes.reduce((sum, bytes) => sum + bytes, 0);
  const count = Math.max(1, Math.min(workers, Math.floor(total / SHARE)));
  const parts: [number, number][] = [];
  let [start, bytes] = [0, 0];
  for (let i = 0; i < length && parts.length < count - 1; i++) {
    bytes += storedBytes[i]!;
    if (bytes < (total * (parts.length + 1)) / count) continue;
    parts.push([start, i + 1]);
    start = i + 1;
  }
  // The last has what is left, and says what is wrong behind the samples.
  if (start < length || parts.length === 0) parts.push([start, length]);
  return parts;
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
