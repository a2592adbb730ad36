/** Thumbnails that were made before, in a file beside the dataset: waited for a moment, and used if they are of this very file. */
import type { Dataset } from "../../../lib/src/model/index.ts";
import type { Decoded } from "./picture.ts";

/** Files of fewer bytes are not asked for thumbnails: their pictures come as fast. */
const LEAST = 16 << 20;
/** Milliseconds that the first pictures wait for them. */
const PATIENCE = 1500;
/** Thumbnails may be drawn at twice their size: larger ones come from the pictures. */
const STRETCH = 2;

/** What is known of the thumbnails of a dataset. */
interface Sought {
  /** Whether there are some. */
  open: boolean;
  /** Resolves when that is known, or when it takes too long. */
  readonly known: Promise<void>;
}

const sought = new WeakMap<Dataset, Sought>();

/** Whether thumbnails of a dataset are in use. */
export const hasStrip = (dataset: Dataset): boolean => sought.get(dataset)?.open ?? false;

/** Takes a file of thumbnails; rejects if they are of another file, or of this one before it changed. */
export async function takeStrip(dataset: Dataset, thumbs: Blob): Promise<void> {
  await dataset.openThumbs(thumbs);
  sought.set(dataset, { open: true, known: Promise.resolve() });
}

/**
 * Looks for the thumbnails of a dataset that was opened: those that were handed over with it, else, of an address, those that lie
 * beside it. If there are none, or only those of something else, nobody hears of it.
 */
export function seekStrip(dataset: Dataset, far: boolean, given: Blob | null): void {
  if (dataset.format === "warehouse" || (!given && !(far && dataset.byteLength >= LEAST))) return;
  let told: () => void;
  const found: Sought = { open: false, known: new Promise((resolve) => (told = resolve)) };
  sought.set(dataset, found);
  // The headers of a growing file come first, and its pictures need not wait for them.
  setTimeout(told!, dataset.growing ? 0 : PATIENCE);
  const looked = async (): Promise<void> => {
    try {
      found.open = await (given ? dataset.openThumbs(given) : dataset.openThumbs());
    } catch {
      // Then the pictures themselves are shown.
    } finally {
      told();
    }
  };
  void looked();
}

/** The thumbnail of a sample that was made before, if it is large enough for pictures of this edge. */
export async function storedThumb(
  dataset: Dataset,
  i: number,
  edge: number,
  signal: AbortSignal,
  turn: <T>(body: () => Promise<T>) => Promise<T>,
): Promise<Decoded | null> {
  const found = sought.get(dataset);
  if (!found) return null;
  await found.known;
  if (!found.open) return null;
  try {
    const thumb = await dataset.storedThumbnail(i, { signal });
    if (!thumb) return null;
    const { blob, size, width, height, orientation } = thumb;
    if (size * STRETCH < edge && Math.max(width, height) > size) return null;
    const bitmap = await turn(() => createImageBitmap(blob));
    return { bitmap, partial: false, width, height, orientation };
  } catch (e) {
    if (signal.aborted) throw e;
    // What one of them lacks, its picture has.
    return null;
  }
}
