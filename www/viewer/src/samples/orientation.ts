/** How a picture is drawn as it is stored: browsers turn it as its EXIF says, most training code does not. */

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
