/** Files that were opened before: addresses, and handles of files where the browser hands them out. */

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

/** A store of one table. Where the browser refuses it, nothing is remembered, and nothing else happens. */
async function table(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open("forebay-viewer", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("recent", { keyPath: "name" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return db.transaction("recent", mode).objectStore("recent");
}
const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The last ones, newest first. */
export async function recents(): Promise<Recent[]> {
  try {
    const all = await done((await table("readonly")).getAll() as IDBRequest<Recent[]>);
    return all.sort((a, b) => b.when - a.when).slice(0, KEPT);
  } catch {
    return [];
  }
}

/** Remembers one; forgets the oldest. */
export async function remember(entry: Recent): Promise<void> {
  try {
    await done((await table("readwrite")).put(entry));
    const all = await done((await table("readonly")).getAll() as IDBRequest<Recent[]>);
    const old = all.sort((a, b) => b.when - a.when).slice(KEPT);
    const store = await table("readwrite");
    await Promise.all(old.map((o) => done(store.delete(o.name))));
  } catch {
    // A private window remembers nothing.
  }
}

/** The file of a handle, after the browser asked the user. */
export async function fileOf(handle: FileSystemFileHandle): Promise<File | null> {
  const asking = handle as FileSystemFileHandle & { requestPermission?: (o: { mode: string }) => Promise<string> };
  if (asking.requestPermission && (await asking.requestPermission({ mode: "read" })) !== "granted") return null;
  return handle.getFile();
}
