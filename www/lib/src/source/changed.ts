/** Files that are no longer what they were when they were opened: bytes of both would be mixed. */

/** What the errors say then, wherever the file is read. */
export const CHANGED = "changed, moved or removed since it was opened";

/** How browsers and Node call it. They call a disk that fails the same. */
const NAMES = new Set(["NotReadableError", "NotFoundError", "NetworkError"]);
/** Streams of some files have no name for it. */
const STREAM = /network error/i;

/** Why a `File` or `Blob` could not be read, for a person: browsers speak of the function that failed. */
export function whyUnread(e: unknown): string {
  const { name, message } = e as Error;
  if (!NAMES.has(name) && !STREAM.test(message)) return `the file cannot be read: ${message}`;
  return `the file cannot be read any more: it was probably ${CHANGED}; choose it again`;
}

/** Bytes of a file, all that were asked for: of one that became shorter some browsers give what is left, and no error. */
export function whole<T extends ArrayBufferLike>(bytes: Uint8Array<T>, wanted: number): Uint8Array<T> {
  if (bytes.byteLength < wanted) throw shorter();
  return bytes;
}

/** What a browser throws that says so. */
export const shorter = (): DOMException => new DOMException("it ends too early", "NotReadableError");
