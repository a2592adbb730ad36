/** Members of a TAR, as they stand before and behind the bytes of a file. */

/** Bytes of a block. */
const BLOCK = 512;
/** Bytes of a name. */
export const NAME_BYTES = 100;
/** What eleven octal digits hold. */
const MOST = 0o77777777777;

/** The header of a regular file; its name has at most {@link NAME_BYTES} bytes of UTF-8. */
export function memberHeader(name: string, size: number): Uint8Array {
  const bytes = new Uint8Array(BLOCK);
  if (size > MOST || new TextEncoder().encode(name).byteLength > NAME_BYTES) throw new RangeError("no member of a TAR");
  const put = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  put(0, name);
  put(100, "0000644\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(124, `${size.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(148, "        ");
  put(156, "0ustar\0");
  put(263, "00");
  const sum = bytes.reduce((a, b) => a + b, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return bytes;
}

/** Zeros behind a file of this many bytes. */
export const memberPadding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** What ends a TAR. */
export const TAR_END = 2 * BLOCK;
