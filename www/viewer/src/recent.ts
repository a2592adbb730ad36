/** Files that were opened before: addresses, and handles of files where the browser hands them out. */
import { Store } from "./store.ts";

/** One of them. */
export interface Recent {
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

/** Remembers one; forgets the oldest. */
export async function remember(entry: Recent): Promise<void> {
  try {
    await store.put(entry);
    const old = (await store.all()).sort((a, b) => b.when - a.when).slice(KEPT);
    await Promise.all(old.map((o) => store.delete(o.name)));
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
