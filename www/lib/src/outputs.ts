/** Files of the origin-private file system that a worker writes without anything in between. */

/** What a worker has of such a file, beyond what the types of a page know. */
interface SyncFile {
  write(bytes: Uint8Array, place: { at: number }): number;
  read(bytes: Uint8Array, place: { at: number }): number;
  truncate(length: number): void;
  flush(): void;
  close(): void;
}

const files = new Map<number, SyncFile>();
let last = 0;

/** A failure as the module throws its own, so that it is not taken for a trap. */
function failed(what: string, e: unknown): string {
  return JSON.stringify({ code: "io", kind: "io", message: `the output cannot be ${what}: ${(e as Error).message}` });
}

function get(id: number): SyncFile {
  const file = files.get(id);
  if (!file) throw failed("written", new Error("it was closed"));
  return file;
}

/** Opens a file to write; 0 where that is only possible through streams. */
export async function openOutput(handle: FileSystemFileHandle): Promise<number> {
  const { createSyncAccessHandle: open } = handle as { createSyncAccessHandle?(): Promise<SyncFile> };
  if (!open) return 0;
  const file = await open.call(handle).catch(() => null);
  if (!file) return 0;
  files.set(++last, file);
  return last;
}

/** Writes all of it, or fails. */
export function writeOutput(id: number, at: number, bytes: Uint8Array): void {
  const file = get(id);
  for (let done = 0; done < bytes.length; ) {
    let n = 0;
    try {
      n = file.write(bytes.subarray(done), { at: at + done });
    } catch (e) {
      throw failed("written", e);
    }
    if (n === 0) throw failed("written", new Error("there is no room"));
    done += n;
  }
}

/** Reads back what was written. */
export function readOutput(id: number, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  const n = get(id).read(bytes, { at: start });
  return n === bytes.length ? bytes : bytes.slice(0, n);
}

/** Cuts or extends it. */
export function truncateOutput(id: number, length: number): void {
  try {
    get(id).truncate(length);
  } catch (e) {
    throw failed("written", e);
  }
}

/** Everything was written, or is not wanted. */
export function closeOutput(id: number): void {
  const file = files.get(id);
  files.delete(id);
  try {
    file?.flush();
  } catch (e) {
    throw failed("written", e);
  } finally {
    file?.close();
  }
}
