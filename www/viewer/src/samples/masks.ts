/** Masks as images. */
import { walkMask, type Mask } from "../../../lib/src/base/masks.ts";

/** The longest edge at which a mask is drawn. */
const EDGE = 2048;

/** The mask as a picture of one color, no larger than what is worth drawing. */
export function drawMask(mask: Mask, [r, g, b, a]: readonly [number, number, number, number]): ImageData {
  const scale = Math.max(1, Math.ceil(Math.max(mask.width, mask.height) / EDGE));
  const [width, height] = [Math.ceil(mask.width / scale), Math.ceil(mask.height / scale)];
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const little = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
  const color = little ? ((a << 24) | (b << 16) | (g << 8) | r) >>> 0 : ((r << 24) | (g << 16) | (b << 8) | a) >>> 0;
  walkMask(mask, (x, from, to) => {
    if (x % scale !== 0) return;
    const column = x / scale;
    for (let y = Math.ceil(from / scale); y * scale < to; y++) pixels[y * width + column] = color;
  });
  return image;
}
