/** Files of the origin-private file system, read in a worker without another process in between. */

/** What a worker has of such a file, beyond what the types of a page know. */
export interface ReadHandle {
  readonly mode?: string;
  read(bytes: Uint8Array, place: { at: number }): number;
  getSize(): number;
  close(): void;
}

/** The same for whoever opens it. */
type Openable = FileSystemFileHandle & { createSyncAccessHandle?(options: { mode: string }): Promise<ReadHandle> };

/**
 * Opens it for reading, beside others that read it; while it is open nobody can write it. Nothing if the browser
 * cannot do that, if somebody writes it, or if it is no longer the file that `as` was: reading that says why.
 */
export async function openPrivate(handle: FileSystemFileHandle, as: Blob): Promise<ReadHandle | null> {
  const { createSyncAccessHandle: open } = handle as Openable;
  const file = await open?.call(handle, { mode: "read-only" }).catch(() => null);
  if (!file) return null;
  const now = await handle.getFile().catch(() => null);
  // Browsers that do not know the mode would keep everybody else away.
  if (
    file.mode === "read-only" &&
    file.getSize() === as.size &&
    now?.lastModified === (as as Partial<File>).lastModified
  )
    return file;
  file.close();
  return null;
}

/** Reads all of it, or as much as there is. */
export function readPrivate(file: ReadHandle, start: number, bytes: Uint8Array): number {
  let done = 0;
  while (done < bytes.length) {
    const n = file.read(bytes.subarray(done), { at: start + done });
    if (n === 0) break;
    done += n;
  }
  return done;
}
