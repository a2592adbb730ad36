import * as argument from "../base/arguments.js";
import { digitsOf } from "../base/exact.js";
import { NAMES, known } from "../base/option-names.js";
import { hostError } from "../model/errors.js";
import type { ChangedSample, Dataset, Difference, DiffOptions, Json, OnlySample } from "../model/index.js";
import { OpenDataset } from "../samples/dataset.js";

/** Samples of a group that is compared at once, and bytes of its payloads. */
const TOGETHER = 64;
const BYTES = 16 << 20;
/** Samples of it that are read at once. */
const LANES = 8;

type Pair = readonly [a: number, b: number];
type Fields = { readonly [key: string]: Json };

/**
 * Compares the samples of two TBLs or TARs: which both have and differ, which only one has. Samples belong together by their names if
 * every sample has one of its own, else by their numbers, as for `forebay diff`; what it says of two files is the same.
 */
export async function diff(a: Dataset, b: Dataset, options: DiffOptions = {}): Promise<Difference> {
  known(argument.options(options, "how datasets are compared"), NAMES.diff, "diff");
  const { payloads = "bytes", metadata = true, signal, onProgress } = options;
  if (!["bytes", "checksums", "none"].includes(payloads))
    throw hostError(
      "usage.argument",
      `payloads are compared by "bytes", "checksums" or "none", not ${String(payloads)}`,
    );
  for (const one of [a, b])
    if (one.format === "warehouse")
      throw hostError("usage.argument", "two warehouses are compared by their manifests: see drift", {
        file: one.name,
      });
  await Promise.all([a.whole, b.whole]);
  const [namesA, namesB] = [await namesOf(a, signal), await namesOf(b, signal)];
  const { pairs, by, onlyInA, onlyInB } = paired(namesA, namesB);
  const changed: ChangedSample[] = [];
  const records = metadata ? zipped(a, b, pairs, signal) : null;
  let done = 0;
  try {
    for (const group of groups(a, b, pairs)) {
      signal?.throwIfAborted();
      const differ = payloads === "none" ? [] : await payloadsOf(a, b, group, payloads, signal);
      for (const [k, [i, j]] of group.entries()) {
        const fields = records ? differing(...(await records.next()).value!) : [];
        const what = [...(differ[k] ? ["payload" as const] : []), ...(fields.length > 0 ? ["metadata" as const] : [])];
        if (what.length > 0) changed.push({ a: i, b: j, name: namesA[i] ?? null, what, fields });
      }
      done += group.length;
      const bytes = a.telemetry.bytesRead + b.telemetry.bytesRead;
      onProgress?.({ samples: done, totalSamples: pairs.length, bytes, totalBytes: null });
    }
  } finally {
    // However it ends, nothing of it stays behind in the workers.
    await records?.return(undefined);
  }
  const same = changed.length === 0 && onlyInA.length === 0 && onlyInB.length === 0;
  return { same, by, equal: pairs.length - changed.length, changed, onlyInA, onlyInB };
}

/** The names of all samples, in order; an archive's headers have them, and its records need not be read for them. */
async function namesOf(dataset: Dataset, signal: AbortSignal | undefined): Promise<(string | null)[]> {
  if (dataset.format === "tar") return Array.from({ length: dataset.length }, (_, i) => dataset.nameOf(i) ?? null);
  const names: (string | null)[] = [];
  for await (const { records } of dataset.records({ fields: ["name"], ...(signal && { signal }) }))
    for (const record of records) {
      const { name } = record as { name?: Json };
      names.push(typeof name === "string" ? name : null);
    }
  return names;
}

/** Numbers by their names; `null` if a name is missing or stands twice. */
function byName(names: readonly (string | null)[]): Map<string, number> | null {
  const found = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    if (name === null || found.has(name)) return null;
    found.set(name, i);
  }
  return found;
}

/** Which sample of the one belongs to which of the other. */
function paired(
  a: readonly (string | null)[],
  b: readonly (string | null)[],
): { pairs: Pair[]; by: Difference["by"]; onlyInA: OnlySample[]; onlyInB: OnlySample[] } {
  const only = (names: readonly (string | null)[], of: Iterable<number>): OnlySample[] =>
    Array.from(of, (i) => ({ i, name: names[i] ?? null }));
  const [namedA, namedB] = [byName(a), byName(b)];
  if (!namedA || !namedB) {
    const both = Math.min(a.length, b.length);
    const rest = (length: number) => Array.from({ length: length - both }, (_, k) => both + k);
    return {
      pairs: Array.from({ length: both }, (_, i) => [i, i] as const),
      by: "number",
      onlyInA: only(a, rest(a.length)),
      onlyInB: only(b, rest(b.length)),
    };
  }
  const pairs: Pair[] = [];
  const missing: number[] = [];
  for (const [name, i] of namedA) {
    const j = namedB.get(name);
    if (j === undefined) missing.push(i);
    else pairs.push([i, j]);
    namedB.delete(name);
  }
  return { pairs, by: "name", onlyInA: only(a, missing), onlyInB: only(b, namedB.values()) };
}

/** Pairs that are compared together: a few, and not too many bytes. */
function* groups(a: Dataset, b: Dataset, pairs: readonly Pair[]): Generator<Pair[]> {
  let [group, bytes]: [Pair[], number] = [[], 0];
  for (const pair of pairs) {
    const more = a.info(pair[0]).bytes + b.info(pair[1]).bytes;
    if (group.length > 0 && (group.length >= TOGETHER || bytes + more > BYTES)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(pair);
    bytes += more;
  }
  if (group.length > 0) yield group;
}

/** Whether the payloads of each pair differ. What their lengths or checksums tell is not read. */
async function payloadsOf(
  a: Dataset,
  b: Dataset,
  group: readonly Pair[],
  how: "bytes" | "checksums",
  signal: AbortSignal | undefined,
): Promise<boolean[]> {
  const ends = signal ? { signal } : {};
  const known = await each(group, async ([i, j]): Promise<boolean | null> => {
    if (a.info(i).bytes !== b.info(j).bytes) return true;
    if (how === "bytes" || !(a instanceof OpenDataset) || !(b instanceof OpenDataset)) return null;
    const [one, other] = await Promise.all([a.checksum(i, ends), b.checksum(j, ends)]);
    return one === null || other === null ? null : one !== other;
  });
  const unknown = group.filter((_, k) => known[k] === null);
  // Near ones come together.
  const budget = { ...ends, budgetBytes: 2 * BYTES };
  await Promise.all([
    a.prefetch(
      unknown.map(([i]) => i),
      budget,
    ),
    b.prefetch(
      unknown.map(([, j]) => j),
      budget,
    ),
  ]);
  return each(group, async ([i, j], k) => {
    const said = known[k]!;
    if (said !== null) return said;
    const [one, other] = await Promise.all([a.bytes(i, ends), b.bytes(j, ends)]);
    return one.length !== other.length || one.some((byte, at) => byte !== other[at]);
  });
}

/** Does something with each pair, with a few at a time; what came of it, in order. */
async function each<T>(group: readonly Pair[], body: (pair: Pair, k: number) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < group.length) {
      const k = next++;
      found[k] = await body(group[k]!, k);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return found;
}

/** The records of each pair. */
async function* zipped(
  a: Dataset,
  b: Dataset,
  pairs: readonly Pair[],
  signal: AbortSignal | undefined,
): AsyncGenerator<[Json, Json], undefined> {
  const ends = signal ? { signal } : {};
  const all = async function* (dataset: Dataset, side: 0 | 1): AsyncGenerator<Json, undefined> {
    const indexes = Uint32Array.from(pairs, (pair) => pair[side]);
    for await (const { records } of dataset.records({ indexes, ...ends })) yield* records;
  };
  const others = all(b, 1);
  try {
    for await (const one of all(a, 0)) {
      const other = await others.next();
      yield [one, other.value ?? null];
    }
  } finally {
    await others.return(undefined);
  }
}

const isFields = (value: Json): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Fields that hold what came from a file beside the picture. */
const INNER = new Set(["json", "metadata"]);

/** The fields in which two records differ. The number of the sample is none: it differs where samples were filtered or joined. */
function differing(a: Json, b: Json): string[] {
  if (!isFields(a) || !isFields(b)) return alike(a, b) ? [] : [""];
  const found: string[] = [];
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (key === "id") continue;
    const [one, other] = [a[key], b[key]];
    if (alikeAt(a, b, key)) continue;
    if (INNER.has(key) && one !== undefined && other !== undefined && isFields(one) && isFields(other))
      for (const inner of new Set([...Object.keys(one), ...Object.keys(other)])) {
        if (!alikeAt(one, other, inner)) found.push(`${key}.${inner}`);
      }
    else found.push(key);
  }
  return found;
}

/** Whether two values are the same, whatever the order of their fields. */
function alike(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && alikeAt(a as Fields, b as Fields, key))
  );
}

/** The same of two members, to the last digit. */
const alikeAt = (a: Fields, b: Fields, key: string): boolean =>
  alike(a[key], b[key]) && digitsOf(a, key) === digitsOf(b, key);
