/** Files of samples that are handed over together: the shards of one dataset. */
import { sampleFormatOf } from "../../../lib/src/model/formats.ts";

/** What a file of samples is, by its name; nothing of another file, nor of a ZIP, which is a dataset by itself. */
function kindOf(name: string): string | undefined {
  const format = sampleFormatOf(name);
  return format === "zip" ? undefined : format;
}

/** The names of the samples in a folder, as shards stand behind each other: one or several of one kind; none where it has two kinds. */
export function sampleNames(names: Iterable<string>): string[] {
  const samples = [...names].filter((name) => kindOf(name) !== undefined).sort();
  return samples.every((name) => kindOf(name) === kindOf(samples[0]!)) ? samples : [];
}

/** Files that were dropped together, without their thumbnails, if they are nothing but shards; two may have one name. */
export function shardsAmong(files: readonly File[]): File[] | null {
  if (files.length < 2 || sampleNames(files.map(({ name }) => name)).length < files.length) return null;
  return [...files].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}
