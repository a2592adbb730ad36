/** What the beginning of a picture's file says, without decoding anything: its size, and how it is to be turned. */

/** Width and height as they are stored; `null` if the bytes do not say. */
export function sizeInHeader(file: Uint8Array): [number, number] | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const has = (bytes: number): boolean => view.byteLength >= bytes;
  if (!has(30)) return null;
  if (view.getUint32(0) === 0x89504e47) return [view.getUint32(16), view.getUint32(20)];
  if (view.getUint16(0) === 0x424d) return [view.getInt32(18, true), Math.abs(view.getInt32(22, true))];
  if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return inWebp(view);
  if (view.getUint32(0) === 0x49492a00 || view.getUint32(0) === 0x4d4d002a) return sizeInTiff(view);
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

/** The numbers of a TIFF's first list, by their tags. */
function* numbersInTiff(view: DataView, start: number): Generator<[tag: number, value: number]> {
  const has = (at: number, bytes: number): boolean => at + bytes <= view.byteLength;
  if (!has(start, 8)) return;
  const little = view.getUint16(start) === 0x4949;
  const list = start + view.getUint32(start + 4, little);
  if (!has(list, 2)) return;
  const entries = view.getUint16(list, little);
  for (let k = 0; k < entries; k++) {
    const at = list + 2 + k * 12;
    if (!has(at, 12)) return;
    // A number of 32 bits, or one of 16.
    const long = view.getUint16(at + 2, little) === 4;
    yield [view.getUint16(at, little), long ? view.getUint32(at + 8, little) : view.getUint16(at + 8, little)];
  }
}

function sizeInTiff(view: DataView): [number, number] | null {
  const numbers = new Map(numbersInTiff(view, 0));
  const [width, height] = [numbers.get(0x0100), numbers.get(0x0101)];
  return width && height ? [width, height] : null;
}

/** Bytes of a file in which its size and its EXIF lie. */
export const HEAD = 128 << 10;

/** How a JPEG's EXIF says that it is to be turned, 1 to 8; 1 where it says nothing. */
export function orientationOf(file: Uint8Array): number {
  const view = new DataView(file.buffer, file.byteOffset, Math.min(file.byteLength, HEAD));
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return 1;
  for (let at = 2; at + 10 <= view.byteLength && view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    // Picture data begins: nothing of the kind comes behind it.
    if (marker === 0xda) return 1;
    if (marker !== 0xe1 || view.getUint32(at + 4) !== 0x45786966) continue;
    for (const [tag, value] of numbersInTiff(view, at + 10))
      if (tag === 0x0112) return value >= 1 && value <= 8 ? value : 1;
    return 1;
  }
  return 1;
}

/** Whether width and height change places. */
export const isOnItsSide = (orientation: number): boolean => orientation >= 5;

/** A part of a picture: left, top, right, bottom, from 0 to 1. */
export type Part = readonly [left: number, top: number, right: number, bottom: number];

/** Where a part of a picture as it is stored lies once the picture is turned as its EXIF says. */
export function turned([l, t, r, b]: Part, orientation: number): Part {
  switch (orientation) {
    case 2:
      return [1 - r, t, 1 - l, b];
    case 3:
      return [1 - r, 1 - b, 1 - l, 1 - t];
    case 4:
      return [l, 1 - b, r, 1 - t];
    case 5:
      return [t, l, b, r];
    case 6:
      return [1 - b, l, 1 - t, r];
    case 7:
      return [1 - b, 1 - r, 1 - t, 1 - l];
    case 8:
      return [t, 1 - r, b, 1 - l];
    default:
      return [l, t, r, b];
  }
}

/** The sides of a picture of which none is longer than `size`. */
export function fitted(width: number, height: number, size: number): [number, number] {
  const scale = Math.min(1, size / Math.max(width, height));
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}
