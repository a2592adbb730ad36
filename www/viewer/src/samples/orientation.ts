/** How a picture's EXIF says that it is to be turned: browsers do so, most training code does not. */

/** Bytes of a file in which its EXIF lies. */
const SEARCHED = 128 << 10;

/** The orientation of a JPEG, 1 to 8; 1 where it says none. */
export function orientationOf(file: Uint8Array): number {
  const view = new DataView(file.buffer, file.byteOffset, Math.min(file.byteLength, SEARCHED));
  const has = (at: number, bytes: number): boolean => at + bytes <= view.byteLength;
  if (!has(0, 4) || view.getUint16(0) !== 0xffd8) return 1;
  for (let at = 2; has(at, 10) && view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    // Picture data begins: nothing of the kind comes behind it.
    if (marker === 0xda) return 1;
    if (marker === 0xe1 && view.getUint32(at + 4) === 0x45786966) return inTiff(view, at + 10, has);
  }
  return 1;
}

function inTiff(view: DataView, start: number, has: (at: number, bytes: number) => boolean): number {
  if (!has(start, 8)) return 1;
  const little = view.getUint16(start) === 0x4949;
  const list = start + view.getUint32(start + 4, little);
  if (!has(list, 2)) return 1;
  const entries = view.getUint16(list, little);
  for (let k = 0; k < entries; k++) {
    const at = list + 2 + k * 12;
    if (!has(at, 12)) return 1;
    if (view.getUint16(at, little) !== 0x0112) continue;
    const value = view.getUint16(at + 8, little);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Whether width and height change places. */
export const isOnItsSide = (orientation: number): boolean => orientation >= 5;

type Matrix = [number, number, number, number, number, number];

/** Draws what the browser turned as it is stored: a matrix for a canvas of the stored width and height. */
export function unturned(orientation: number, w: number, h: number): Matrix {
  const matrices: Record<number, Matrix> = {
    2: [-1, 0, 0, 1, w, 0],
    3: [-1, 0, 0, -1, w, h],
    4: [1, 0, 0, -1, 0, h],
    5: [0, 1, 1, 0, 0, 0],
    6: [0, -1, 1, 0, 0, h],
    7: [0, -1, -1, 0, w, h],
    8: [0, 1, -1, 0, w, 0],
  };
  return matrices[orientation] ?? [1, 0, 0, 1, 0, 0];
}
