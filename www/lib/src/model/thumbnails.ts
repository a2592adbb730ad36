/** Small pictures of samples. */
import type { Progress } from "./opened.js";

/** How a thumbnail is made. */
export interface ThumbnailOptions {
  /** No edge is longer, in pixels; smaller pictures stay as they are. At most 2,048; default: 160. */
  size?: number;
  /** Only this part, of the picture as it is stored, as boxes have it (`SampleBox.box`), whatever its EXIF says. */
  box?: readonly [left: number, top: number, right: number, bottom: number];
  /**
   * The type of the file. Default: "image/jpeg", on white if the picture is transparent, if there is an encoder for it: every
   * browser has one, and Node, which has none, gives "image/png".
   */
  type?: "image/jpeg" | "image/png" | "image/webp";
  /** From 0 to 1, for types that lose something. Default: 0.8. */
  quality?: number;
  /** Ends it. */
  signal?: AbortSignal;
}

/** The same as a bitmap, for drawing; only if the environment has bitmaps, so not in Node. */
export interface ThumbnailBitmapOptions extends Omit<ThumbnailOptions, "type" | "quality"> {
  /** A bitmap, which is the caller's: `close()` it. */
  as: "bitmap";
}

/** A thumbnail as it lies in a file of thumbnails. */
export interface StoredThumbnail {
  /** A JPEG. */
  readonly blob: Blob;
  /** No edge of these thumbnails is longer. */
  readonly size: number;
  /** Pixels across of the picture that it is of, as it is seen. */
  readonly width: number;
  /** Pixels down. */
  readonly height: number;
  /** How EXIF says that the picture was turned for that, from 1 for not at all to 8. */
  readonly orientation: number;
}

/** How the thumbnails of a whole file are written. */
export interface WriteThumbsOptions {
  /** No edge is longer, in pixels. Default: 160. */
  size?: number;
  /** From 0 to 1. Default: 0.8. */
  quality?: number;
  /** Ends it. */
  signal?: AbortSignal;
  /** Hears how many are made. */
  onProgress?: (progress: Progress) => void;
}
