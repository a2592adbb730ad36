/** Files that were opened before: addresses, and handles of files where the browser hands them out. */
import { Store } from "./store.ts";

/** One of them. */
export interface Recent {
  /** Two files may have one name. */
  readonly id: string;
  readonly name: string;
  /** The address; a file of this machine has none. */
  readonly url?: string;
  readonly handle?: FileSystemFileHandle;
  readonly bytes: number;
  readonly when: number;
}

const KEPT = 8;
const store = new Store<Recent>("recent");

/** The last ones, newest first. A private window remembers nothing. */
export async function recents(): Promise<Recent[]> {
  const all = await store.all().catch(() => []);
  return all.sort((a, b) => b.when - a.when).slice(0, KEPT);
}

/** Those with a handle of a file of this name, newest first. */
export const namesakes = async (name: string): Promise<Recent[]> =>
  (await recents()).filter((r) => r.name === name && r.handle);

/** Whether it is the same file, whatever its name. */
async function isSame(one: Recent, { url, handle }: Omit<Recent, "id">): Promise<boolean> {
  if (url !== undefined) return one.url === url;
  return !!handle && !!one.handle && (await one.handle.isSameEntry(handle).catch(() => false));
}

/** Remembers one that can be opened again; forgets the oldest. */
export async function remember(entry: Omit<Recent, "id">): Promise<void> {
  if (entry.url === undefined && !entry.handle) return;
  try {
    const all = await store.all();
    let id: string | undefined;
    for (const one of all) if (await isSame(one, entry)) id = one.id;
    await store.put({ ...entry, id: id ?? entry.url ?? crypto.randomUUID() });
    const old = (await store.all()).sort((a, b) => b.when - a.when).slice(KEPT);
    await Promise.all(old.map((o) => store.delete(o.id)));
  } catch {
    // Nothing depends on it.
  }
}

/** Forgets all of them. */
export const forgetRecents = (): Promise<void> => store.clear().catch(() => undefined);

/** The file of a handle, after the browser asked the user. */
export async function fileOf(handle: FileSystemFileHandle): Promise<File | null> {
  const asking = handle as FileSystemFileHandle & { requestPermission?: (o: { mode: string }) => Promise<string> };
  if (asking.requestPermission && (await asking.requestPermission({ mode: "read" })) !== "granted") return null;
  return handle.getFile();
}
