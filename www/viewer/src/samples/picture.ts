/** Pictures as the browser decodes them: no larger than they are shown, and damaged ones as far as they go. */
import { CHANGED, whole, whyUnread } from "../../../lib/src/source/changed.ts";
import type { Dataset, SampleInfo, Warehouse } from "../../../lib/src/model/index.ts";
import { drawWarehouse } from "./warehouse-picture.ts";
import { HEAD, isOnItsSide, orientationOf, sizeInHeader } from "../../../lib/src/base/picture-header.ts";
import { msg } from "../messages/pictures.ts";

/** Formats that a browser draws. */
const DRAWN = new Set(["jpeg", "png", "webp", "bmp", "unknown", "raw_u8"]);
/** Formats that a browser plays. */
const PLAYED = new Set(["mp4"]);
/** Pixels of a picture that is decoded whole, whatever of it is shown. */
const WHOLE = 16_000_000;
/** A file of fewer bytes is not looked into for its size before it is decoded. */
const SMALL = 256 << 10;

/** A format that browsers do not draw; the message is its name. */
export class NotDrawn extends Error {}
/** What is said of a file that turns out to be no picture: it need not be damaged. */
export const UNKNOWN = "no image";

/** Whether a sample is a film. */
export const isPlayed = (info: SampleInfo): boolean => PLAYED.has(info.format);

/** A decoded picture. */
export interface Decoded {
  readonly bitmap: ImageBitmap;
  /** The picture's own size, which the bitmap's may be less than. */
  readonly width: number;
  readonly height: number;
  /** The file is damaged, and this is what could be decoded of it. */
  readonly partial: boolean;
  /** How its EXIF says that it is to be turned, if that was looked for; else 1. */
  readonly orientation: number;
}

/** How to decode. */
export interface DecodeOptions {
  readonly signal: AbortSignal;
  /** No edge of the bitmap is longer. */
  readonly edge?: number;
  /** The same of pictures so large that they would fill the memory; others are decoded whole. */
  readonly largeEdge?: number;
  /** Find out the picture's own size and its orientation in any case: boxes are placed by them. */
  readonly sized?: boolean;
  /** Waits for its turn. */
  readonly turn?: <T>(body: () => Promise<T>) => Promise<T>;
}

const smaller = (edge: number, width: number, height: number): ImageBitmapOptions => ({
  ...(height > width ? { resizeHeight: edge } : { resizeWidth: edge }),
  resizeQuality: "medium",
});

/** The picture of a sample. */
export async function decode(
  dataset: Dataset,
  i: number,
  { signal, edge, largeEdge, sized, turn = (body) => body() }: DecodeOptions,
): Promise<Decoded> {
  if (dataset.format === "warehouse") {
    const bitmap = await drawWarehouse(dataset as Warehouse, i, signal);
    return { bitmap, width: bitmap.width, height: bitmap.height, partial: false, orientation: 1 };
  }
  const info = dataset.info(i);
  if (info.damaged) throw Object.assign(new Error(msg("indexEntryDamaged")), { code: "damaged entry" });
  if (!DRAWN.has(info.format)) throw new NotDrawn(info.format.toUpperCase());
  const raw = info.format === "raw_u8" ? await dataset.bytes(i, { signal }) : null;
  const blob = raw ? null : await dataset.blob(i, { signal });
  return turn(async () => {
    signal.throwIfAborted();
    let [width, height] = [info.width, info.height];
    if (largeEdge && blob && width === 0 && blob.size > SMALL) [width, height] = await sizeOf(blob);
    let orientation = 1;
    const most = edge ?? (width * height > WHOLE ? largeEdge : undefined);
    const options =
      most === undefined || (width > 0 && Math.max(width, height) <= most) ? {} : smaller(most, width, height);
    const done = (bitmap: ImageBitmap, partial = false): Decoded => {
      // The index says how it is stored; its EXIF may turn it.
      const turned =
        width !== height && bitmap.width !== bitmap.height && width > height !== bitmap.width > bitmap.height;
      return {
        bitmap,
        partial,
        orientation,
        ...(width > 0 && "resizeQuality" in options
          ? { width: turned ? height : width, height: turned ? width : height }
          : { width: bitmap.width, height: bitmap.height }),
      };
    };
    if (raw) return done(await createImageBitmap(pixels(raw, info.width, info.height), options));
    try {
      const bitmap = await createImageBitmap(blob!, options);
      if (sized) {
        const head = new Uint8Array(
          await blob!
            .slice(0, HEAD)
            .arrayBuffer()
            .catch(() => new ArrayBuffer(0)),
        );
        orientation = orientationOf(head);
        const size = width > 0 ? null : sizeInHeader(head);
        if (size) [width, height] = isOnItsSide(orientation) ? [size[1], size[0]] : size;
      }
      return done(bitmap);
    } catch (e) {
      // Of a file that can no longer be read browsers say that it is not a picture.
      await blob!
        .slice(-1)
        .arrayBuffer()
        .then((last) => whole(new Uint8Array(last), 1))
        .catch((why: unknown) => {
          throw Object.assign(new Error(whyUnread(why)), { code: "io" });
        });
      const part = await drawnInPart(blob!, most).catch(() => null);
      if (part) return done(part, true);
      throw info.format === "unknown" ? new NotDrawn(UNKNOWN) : e;
    }
  });
}

/** An element with a picture as far as it goes; what is not a picture rejects. */
async function loaded<T>(blob: Blob, look: (image: HTMLImageElement) => Promise<T> | T): Promise<T> {
  const image = new Image();
  const url = URL.createObjectURL(blob);
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = reject;
      image.src = url;
    });
    return await look(image);
  } finally {
    image.src = "";
    URL.revokeObjectURL(url);
  }
}

/** The size of a picture, which its first bytes say; zeros where they do not. */
const sizeOf = (blob: Blob): Promise<[number, number]> =>
  loaded(blob, ({ naturalWidth, naturalHeight }): [number, number] => [naturalWidth, naturalHeight]).catch(() => [
    0, 0,
  ]);

/** What an element draws of a picture that is damaged or ends too early: a browser's decoder for bitmaps wants all of it. */
function drawnInPart(blob: Blob, edge: number | undefined): Promise<ImageBitmap | null> {
  return loaded(blob, (image) => {
    const [w, h] = [image.naturalWidth, image.naturalHeight];
    if (w === 0 || h === 0) return null;
    const scale = Math.min(1, (edge ?? Infinity) / Math.max(w, h), Math.sqrt(WHOLE / (w * h)));
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(w * scale)), Math.max(1, Math.round(h * scale)));
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.transferToImageBitmap();
  });
}

function pixels(rgb: Uint8Array, width: number, height: number): ImageData {
  if (width * height * 3 !== rgb.length || rgb.length === 0) throw new NotDrawn("RAW");
  const data = new Uint8ClampedArray(width * height * 4);
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    data[to] = rgb[from]!;
    data[to + 1] = rgb[from + 1]!;
    data[to + 2] = rgb[from + 2]!;
    data[to + 3] = 255;
  }
  return new ImageData(data, width, height);
}

/** Whether a failure says that the file was changed under the page. */
export const isChanged = (message: string): boolean => message.includes(CHANGED);
