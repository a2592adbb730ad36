/** Files in the browser's own store that are needed for a while. */

/** One of them. */
export interface TemporaryFile {
  readonly output: FileSystemFileHandle;
  readonly remove: () => Promise<void>;
}

/** What is kept there: the table that a text became, what was unpacked, and what is to be downloaded. */
export type Kept = "text" | "unpacked" | "download";

/** What their names are like: the time that they were made is in them. What is being written has a dot in front. */
const NAMED = /^(\.?)(forebay-(text|unpacked|download)-(\d+)-[0-9a-f-]{36})/;
const DAY = 86_400_000;
/** What others left was removed; that is done once. */
let cleaned = false;

/** A new file; rejects in pages that may have none: those that came over http from another machine, and private windows. */
export async function temporaryFile(what: Kept): Promise<TemporaryFile> {
  if (!cleaned) void removeLeftovers().catch(() => undefined);
  cleaned = true;
  const store = await navigator.storage.getDirectory();
  const name = `forebay-${what}-${Date.now()}-${crypto.randomUUID()}`;
  const release = await held(name);
  const remove = (): Promise<void> => store.removeEntry(name).finally(release);
  return { output: await store.getFileHandle(name, { create: true }), remove };
}

/** Says to other pages that this one needs it; the browser takes it back when the page goes, however it does. */
function held(name: string): Promise<() => void> {
  return new Promise((resolve) => {
    const locks = navigator.locks as LockManager | undefined;
    if (!locks) return resolve(() => undefined);
    locks.request(name, () => new Promise<void>((release) => resolve(release))).catch(() => resolve(() => undefined));
  });
}

/** Removes what pages left behind that were closed without a word, or that died. */
export async function removeLeftovers(): Promise<void> {
  const store = (await navigator.storage?.getDirectory?.().catch(() => null)) as
    | (FileSystemDirectoryHandle & { keys?(): AsyncIterable<string> })
    | null;
  if (!store?.keys) return;
  const locks = navigator.locks as LockManager | undefined;
  for await (const name of store.keys()) {
    const [, dot, own, what, made] = NAMED.exec(name) ?? [];
    if (own === undefined) continue;
    // Asked anew each time: others begin meanwhile.
    const now = await locks?.query().catch(() => null);
    if (now?.held?.some((lock) => lock.name === own)) continue;
    // A download may still be read by the browser when its page is gone, and without locks nobody knows who is.
    const left = now && (dot === "." || what !== "download");
    if (left || Number(made) < Date.now() - DAY) await store.removeEntry(name).catch(() => undefined);
  }
}
