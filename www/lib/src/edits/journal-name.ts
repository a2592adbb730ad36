import type { Place } from "./store.js";

/**
 * The name of a dataset's journal. A file may be renamed, or come by another way: its digest alone says whose edits they are. Journals
 * that were called after the file as well are found as long as they are there.
 */
export async function journalName(place: Place, digest: string, file: string | undefined): Promise<string> {
  const name = `${digest}.jsonl`;
  const former = `${safe(file)}-${name}`;
  if (await has(place, former)) return former;
  if (await has(place, name)) return name;
  const others = (await place.names()).filter((one) => one.endsWith(`-${name}`));
  return others.sort()[0] ?? name;
}

const has = async ({ store }: Place, name: string): Promise<boolean> => ((await store.read(name))?.length ?? 0) > 0;

/** What of a file's name was in those names. */
const safe = (name: string | undefined): string =>
  (name ?? "dataset")
    .split(/[\\/]/)
    .pop()!
    .replace(/[^\w.-]/g, "_")
    .slice(0, 60);
