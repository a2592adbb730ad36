/** Comments in JPEG files: text that pictures carry with them. */

/** The file with a comment behind its first marker. */
export async function withComment(jpeg: Blob, comment: string): Promise<Blob> {
  const text = new TextEncoder().encode(comment);
  const marker = Uint8Array.of(0xff, 0xfe, (text.length + 2) >> 8, (text.length + 2) & 255);
  return new Blob([jpeg.slice(0, 2), marker, text, jpeg.slice(2)], { type: jpeg.type });
}

/** The first comment of a file; `null` where there is none. */
export function commentOf(jpeg: Uint8Array): string | null {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 4 <= view.byteLength && view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xda) return null;
    if (marker !== 0xfe) continue;
    return new TextDecoder("latin1").decode(jpeg.subarray(at + 4, at + 2 + view.getUint16(at + 2)));
  }
  return null;
}
