import { inOrder, type Sortable } from "../base/ordering.js";
import { hostError } from "../model/errors.js";
import type { Dataset, IndexColumns, Json, SortOptions } from "../model/index.js";
import { stepsOf } from "../base/metadata-path.js";
import { isArchive, mediaFormats } from "../model/formats.js";
import { fieldsOf } from "./fields.js";
import { lookAtAll } from "./sizes.js";

/** What the index says of each sample, by the names that filters have for it; `undefined` is missing. */
export const INDEXED: Readonly<Record<string, (columns: IndexColumns, i: number) => Sortable>> = {
  index: (_, i) => i,
  width: (c, i) => c.width[i]! || null,
  height: (c, i) => c.height[i]! || null,
  bytes: (c, i) => c.bytes[i]!,
  stored_bytes: (c, i) => c.storedBytes[i]!,
  pixels: (c, i) => c.width[i]! * c.height[i]! || null,
  aspect: (c, i) => (c.width[i]! && c.height[i]! ? c.width[i]! / c.height[i]! : null),
  format: (c, i) => mediaFormats[c.format[i]!] ?? null,
};
/** Those that a TAR's headers do not say: its samples are looked at first. */
export const LOOKED_AT: ReadonlySet<string> = new Set(["width", "height", "pixels", "aspect", "format"]);

/** What a value is sorted as: a list or an object as its text. */
function sortable(value: Json | undefined): Sortable {
  if (value === undefined || value === null) return null;
  return typeof value === "number" || typeof value === "string"
    ? value
    : typeof value === "boolean"
      ? Number(value)
      : JSON.stringify(value);
}

/** The numbers of samples in the order of what the index or their metadata says. */
export async function sorted(
  dataset: Pick<Dataset, "name" | "format" | "length" | "columns" | "nameOf" | "matches" | "record" | "records"> & {
    nameAmong?(i: number, own: string): string;
  },
  by: string,
  { descending = false, where, signal, onProgress }: SortOptions,
): Promise<Uint32Array> {
  if (typeof by !== "string" || (by !== "name" && !(by in INDEXED) && !stepsOf(by)))
    throw hostError(
      "usage.argument",
      `samples are sorted by a field of the index or a path, and ${JSON.stringify(by)} is neither`,
      {
        file: dataset.name,
      },
    );
  const ends = signal ? { signal } : {};
  const progress = onProgress ? { onProgress } : {};
  const filtered = where !== undefined && where.trim() !== "";
  const chosen = filtered
    ? await dataset.matches(where, { ...ends, ...progress })
    : Uint32Array.from({ length: dataset.length }, (_, i) => i);
  const indexed = INDEXED[by];
  // Several files are sorted by the names that their samples have among all.
  const named = (i: number, value: Sortable): Sortable =>
    by === "name" && typeof value === "string" ? (dataset.nameAmong?.(i, value) ?? value) : value;
  const values = new Map<number, Sortable>();
  if (indexed) {
    if (isArchive(dataset.format) && LOOKED_AT.has(by)) await lookAtAll(dataset, { ...ends, ...progress });
    const columns = dataset.columns();
    for (const i of chosen) values.set(i, indexed(columns, i));
  } else {
    // An archive's headers have the names, and its records need not be read for them.
    const known = by === "name" && isArchive(dataset.format);
    if (known) for (const i of chosen) values.set(i, dataset.nameOf(i) ?? null);
    else
      for await (const [i, found] of fieldsOf(dataset, chosen, [by], { ...ends, ...progress }))
        values.set(i, named(i, sortable(found[by])));
  }
  return inOrder(chosen, (i) => values.get(i)!, descending);
}
