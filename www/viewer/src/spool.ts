/** Files in the browser's own store that are needed for a while. */

/** One of them. */
export interface Spool {
  readonly output: FileSystemFileHandle;
  readonly remove: () => Promise<void>;
}

/** What their names begin with; the time follows. */
const NAMED = /^\.?forebay-(?:text|download)-(\d+)-/;
const DAY = 86_400_000;

/** A new file; rejects in pages that may have none: those that came over http from another machine, and private windows. */
export async function spoolFile(what: "text" | "download"): Promise<Spool> {
  const store = await navigator.storage.getDirectory();
  const name = `forebay-${what}-${Date.now()}-${crypto.randomUUID()}`;
  return { output: await store.getFileHandle(name, { create: true }), remove: () => store.removeEntry(name) };
}

/** Removes what pages left behind that were closed without a word; what is young may be open in another page. */
export async function sweep(): Promise<void> {
  const store = (await navigator.storage?.getDirectory?.().catch(() => null)) as (FileSystemDirectoryHandle & { keys?(): AsyncIterable<string> }) | null;
  if (!store?.keys) return;
  for await (const name of store.keys()) {
    // What was being written has a dot in front.
    const made = NAMED.exec(name)?.[1];
    if (made !== undefined && Number(made) < Date.now() - DAY) await store.removeEntry(name).catch(() => undefined);
  }
}
