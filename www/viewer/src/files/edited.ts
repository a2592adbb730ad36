/** What a journal of changes can be of. */
import type { Dataset } from "../../../lib/src/model/index.ts";

/** Whether it is a file whose changes can be kept, and saved as a new one. */
export const isEdited = (data: Pick<Dataset, "format"> | null | undefined): boolean =>
  data?.format === "tbl" || data?.format === "tar";

/** Where the package has its journals. */
export const FOLDER = "forebay-edits";
/** Whether the browser keeps journals of any dataset: without one nothing else is looked at. */
export async function hasJournals(): Promise<boolean> {
  const root = await navigator.storage?.getDirectory?.();
  const folder = await root?.getDirectoryHandle(FOLDER).catch(() => null);
  if (!folder) return false;
  for await (const name of (folder as unknown as { keys(): AsyncIterable<string> }).keys())
    if (name.endsWith(".jsonl")) return true;
  return false;
}
