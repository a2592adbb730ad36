/** The size of a picture as the beginning of its file says it, without decoding anything. */

/** Width and height as they are stored; `null` if the bytes do not say. */
export function sizeInHeader(file: Uint8Array): [number, number] | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const has = (bytes: number): boolean => view.byteLength >= bytes;
  if (!has(30)) return null;
  if (view.getUint32(0) === 0x89504e47) return [view.getUint32(16), view.getUint32(20)];
  if (view.getUint16(0) === 0x424d) return [view.getInt32(18, true), Math.abs(view.getInt32(22, true))];
  if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return inWebp(view);
  return view.getUint16(0) === 0xffd8 ? inJpeg(view) : null;
}

function inWebp(view: DataView): [number, number] | null {
  const kind = view.getUint32(12);
  // Losslessly, 14 bits each; extended, 24 bits each; else behind the frame's start code.
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
  }
  const small = (at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (kind === 0x56503858) return [small(24) + 1, small(27) + 1];
  return kind === 0x56503820 ? [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff] : null;
}

function inJpeg(view: DataView): [number, number] | null {
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    // Bytes that fill up to a marker.
    if (marker === 0xff) at++;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [view.getUint16(at + 7), view.getUint16(at + 5)];
    else at += 2 + view.getUint16(at + 2);
  }
  return null;
}
