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
