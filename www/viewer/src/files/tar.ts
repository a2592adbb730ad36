/** Archives that are made in the page: several files as one download. */

const RECORD = 512;

/** A file's header in an archive. */
function header(name: string, size: number): Uint8Array {
  const bytes = new Uint8Array(RECORD);
  const put = (at: number, text: string): void => bytes.set(new TextEncoder().encode(text), at);
  const octal = (n: number, digits: number): string => `${n.toString(8).padStart(digits, "0")}\0`;
  put(0, name);
  put(100, octal(0o644, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(size, 11));
  put(136, octal(0, 11));
  put(148, "        ");
  put(156, "0");
  put(257, "ustar\x0000");
  put(
    148,
    `${octal(
      bytes.reduce((sum, b) => sum + b, 0),
      6,
    )} `,
  );
  return bytes;
}

/** Bytes that a name may have without a record of its own. */
const LONGEST = 100;

/** Files one after the other; `blob` ends the archive. */
export class TarFile {
  private readonly parts: BlobPart[] = [];

  add(name: string, content: Blob): void {
    const bytes = new TextEncoder().encode(name);
    if (bytes.length > LONGEST) {
      // A longer name is in a file before it, as GNU tar does it.
      const long = header("././@LongLink", bytes.length + 1);
      long.set(new TextEncoder().encode("L"), 156);
      this.parts.push(sealed(long) as BlobPart);
      this.push(new Blob([bytes, new Uint8Array(1)]));
    }
    this.parts.push(header(bytes.length > LONGEST ? "long" : name, content.size) as BlobPart);
    this.push(content);
  }
  private push(content: Blob): void {
    this.parts.push(content, new Uint8Array((RECORD - (content.size % RECORD)) % RECORD));
  }
  blob(): Blob {
    return new Blob([...this.parts, new Uint8Array(2 * RECORD)], { type: "application/x-tar" });
  }
}

/** The header with its sum written anew. */
function sealed(bytes: Uint8Array): Uint8Array {
  bytes.fill(32, 148, 156);
  const sum = bytes.reduce((all, b) => all + b, 0);
  bytes.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return bytes;
}
