import * as argument from "../base/arguments.js";
import type { ChosenOptions, Dataset } from "../model/index.js";

/** The samples that are meant: those of a list, of which only those that match; `null` where all are. */
export async function chosenOf(
  dataset: Pick<Dataset, "name" | "length" | "matches">,
  { where, indexes, signal }: Pick<ChosenOptions, "where" | "indexes" | "signal">,
): Promise<Uint32Array | null> {
  const listed = indexes === undefined ? null : argument.numbers(indexes, dataset.length, "samples", dataset.name);
  if (where === undefined || argument.text(where, "a filter").trim() === "") return listed;
  const matching = await dataset.matches(where, signal ? { signal } : {});
  if (!listed) return matching;
  const set = new Set(matching);
  return listed.filter((i) => set.has(i));
}

/** The same as a set, in the order of the file. */
export async function chosenAll(
  dataset: Pick<Dataset, "name" | "length" | "matches">,
  { where, indexes }: Pick<ChosenOptions, "where" | "indexes">,
  signal: AbortSignal,
): Promise<Uint32Array> {
  const wanted = { signal, ...(where !== undefined && { where }), ...(indexes !== undefined && { indexes }) };
  const chosen = await chosenOf(dataset, wanted);
  return chosen ? Uint32Array.from(new Set(chosen)).sort() : Uint32Array.from({ length: dataset.length }, (_, i) => i);
}
