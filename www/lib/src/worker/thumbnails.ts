/** Thumbnails by the browser's own decoders and encoders, where a worker has them. */
import { HEAD, fitted, isOnItsSide, orientationOf, sizeInHeader, turned, type Part } from "../base/picture-header.js";
import { encodePng } from "../base/png.js";

/** What a thumbnail is to be. */
export interface Wanted {
  /** No edge is longer. */
  readonly size: number;
  /** The part of the picture as it is stored; `null` for all of it. */
  readonly box: Part | null;
  /** The type of the file; `null` for a bitmap. */
  readonly type: string | null;
  readonly quality: number;
}

/** Pixels of a picture that browsers are asked to decode: of more, the module says that they are too many. */
const MOST_PIXELS = 1 << 28;
/** Files that browsers decode; of others they say nothing but that they cannot. */
const MIMES = new Set(["image/jpeg", "image/png", "image/webp", "image/bmp", "application/octet-stream"]);

const canDraw = (): boolean => typeof createImageBitmap === "function" && typeof OffscreenCanvas === "function";

/** A canvas on which a picture lies without what is behind it, since not every type of file knows that. */
function canvasOf(
  width: number,
  height: number,
  type: string | null,
): [OffscreenCanvas, OffscreenCanvasRenderingContext2D] {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d")!;
  if (type === "image/jpeg") {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
  }
  context.imageSmoothingQuality = "medium";
  return [canvas, context];
}

/** What a canvas becomes. */
async function taken(canvas: OffscreenCanvas, { type, quality }: Wanted): Promise<Blob | ImageBitmap> {
  return type === null ? canvas.transferToImageBitmap() : canvas.convertToBlob({ type, quality });
}

/** The thumbnail of a picture's file; `null` if the browser cannot make it, which says nothing of the file. */
export async function thumbnailOf(file: Blob, wanted: Wanted): Promise<Blob | ImageBitmap | null> {
  if (!canDraw() || !MIMES.has(file.type)) return null;
  const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
  const orientation = orientationOf(head);
  const [w, h] = sizeInHeader(head) ?? [0, 0];
  if (w * h > MOST_PIXELS) return null;
  const known = w > 0 && h > 0;
  const [width, height] = isOnItsSide(orientation) ? [h, w] : [w, h];
  // The browser decodes to the size at once if it is known before, which takes less time and memory.
  const resized = known && wanted.box === null && Math.max(width, height) > wanted.size;
  const [resizeWidth, resizeHeight] = resized ? fitted(width, height, wanted.size) : [0, 0];
  const bitmap = await createImageBitmap(
    file,
    resized ? { resizeWidth, resizeHeight, resizeQuality: "medium" } : {},
  ).catch(() => null);
  if (!bitmap) return null;
  const [l, t, r, b] = wanted.box ? turned(wanted.box, orientation) : [0, 0, 1, 1];
  const part = [l * bitmap.width, t * bitmap.height, (r - l) * bitmap.width, (b - t) * bitmap.height] as const;
  const [toWidth, toHeight] = fitted(Math.max(1, part[2]), Math.max(1, part[3]), wanted.size);
  if (wanted.type === null && wanted.box === null && bitmap.width === toWidth && bitmap.height === toHeight)
    return bitmap;
  const [canvas, context] = canvasOf(toWidth, toHeight, wanted.type);
  context.drawImage(bitmap, ...part, 0, 0, toWidth, toHeight);
  bitmap.close();
  return taken(canvas, wanted);
}

/** Pixels, red, green and blue, as a thumbnail of their size; a PNG where nothing else can be written. */
export async function thumbnailOfPixels(
  rgb: Uint8Array,
  width: number,
  height: number,
  wanted: Wanted,
): Promise<Blob | ImageBitmap> {
  if (!canDraw()) return encodePng(rgb, width, height);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    data[to] = rgb[from]!;
    data[to + 1] = rgb[from + 1]!;
    data[to + 2] = rgb[from + 2]!;
    data[to + 3] = 255;
  }
  const [canvas, context] = canvasOf(width, height, wanted.type);
  context.putImageData(new ImageData(data, width, height), 0, 0);
  return taken(canvas, wanted);
}
