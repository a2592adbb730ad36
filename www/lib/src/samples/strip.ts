/**
 * Thumbnails that were made before: a strip is a TBL of small JPEGs, one for each sample in their order, each with a comment that
 * says of which file and sample it is. So any part of it can be told from another file's without reading the rest.
 */
import { Fnv1a } from "../base/fnv.js";
import { commentOf } from "../base/jpeg-comment.js";
import { ForebayError } from "../model/errors.js";
import type { IndexColumns, Source } from "../model/index.js";
import { readExactly } from "../source/ranges.js";
import type { MadeBefore } from "./thumbnails.js";

/** What stands behind the name of a file to name its thumbnails. */
export const STRIP = ".thumbs";

const DAMAGED = 255;
/** Bytes of a TBL's header. */
const HEADER = 64;
/** Samples whose places are looked at together. */
const BLOCK = 4096;
/** Bytes of an entry of a TBL's index, and of the thumbnails of a first screen. */
const ENTRY = 24;
const SCREEN = 768 << 10;

/** Bytes at the beginning of a strip of this many samples that a first screen needs. */
export const firstBytes = (samples: number): number => HEADER + samples * ENTRY + SCREEN;

/** What a picture is like that a thumbnail is of: its size as it is seen, and how EXIF says that it was turned for that. */
export interface PictureFacts {
  readonly width: number;
  readonly height: number;
  readonly orientation: number;
}

/** What the comment of a thumbnail says; the command writes and reads the same words (`native/src/thumbs/label.rs`). */
export function commentFor(sample: number, digest: string, size: number, picture: PictureFacts | null): string {
  const turned = picture && picture.orientation > 1 ? ` turned ${picture.orientation}` : "";
  const from = picture ? ` from ${picture.width}x${picture.height}${turned}` : "";
  return `forebay thumb ${sample} of ${digest} within ${size}${from}`;
}

const COMMENT = /^forebay thumb (\d+) of ([0-9a-f]{16}) within (\d+)(?: from (\d+)x(\d+)(?: turned ([2-8]))?)?$/;

/** What tells a file from others: a TBL's header, which has a checksum of all metadata, and where its samples lie. */
export async function digestOf(
  source: Source,
  format: string,
  { offset, storedBytes, codec }: IndexColumns,
  signal?: AbortSignal,
): Promise<string> {
  const digest = new Fnv1a();
  if (format === "tbl") digest.update(await readExactly(source, 0, HEADER, signal));
  const places = new Uint8Array(BLOCK * 16);
  const view = new DataView(places.buffer);
  const put = (at: number, value: number) => {
    view.setUint32(at, value >>> 0, true);
    view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
  };
  for (let from = 0; from < offset.length; from += BLOCK) {
    const end = Math.min(offset.length, from + BLOCK);
    for (let i = from; i < end; i++) {
      const sound = codec[i] !== DAMAGED;
      put((i - from) * 16, sound ? offset[i]! : 0);
      put((i - from) * 16 + 8, sound ? storedBytes[i]! : 0);
    }
    digest.update(places.subarray(0, (end - from) * 16));
  }
  return digest.hex();
}

/** What a strip needs of the TBL that it is. */
interface StripFile {
  readonly name: string | undefined;
  readonly length: number;
  info(i: number): { readonly width: number; readonly height: number };
  blob(i: number, options: { signal?: AbortSignal }): Promise<Blob>;
  close(): void;
}

/** A strip that is open. */
export class Strip implements MadeBefore {
  private constructor(
    readonly file: StripFile,
    readonly digest: string,
    readonly size: number,
  ) {}

  /** Refuses thumbnails of another file, or of this one before it changed. */
  static async open(file: StripFile, of: { name: string | undefined; length: number; digest: string }): Promise<Strip> {
    if (file.length !== of.length)
      throw otherFile(file.name, of.name, `it has ${file.length} thumbnails, and there are ${of.length} samples`);
    if (of.length === 0) return new Strip(file, of.digest, 0);
    const first = await commentIn(await file.blob(0, {}));
    if (!first) throw otherFile(file.name, of.name, "its images do not say what they are of");
    if (first.digest !== of.digest)
      throw otherFile(file.name, of.name, "it is of another file, or of this one before it changed");
    return new Strip(file, of.digest, first.size);
  }

  async get(i: number, signal: AbortSignal): Promise<Blob | null> {
    return (await this.stored(i, signal))?.blob ?? null;
  }

  /** The thumbnail of a sample with what is said of its picture; `null` in the place of what could not be decoded. */
  async stored(i: number, signal: AbortSignal): Promise<{ blob: Blob; picture: PictureFacts | null } | null> {
    const blob = await this.file.blob(i, { signal });
    const comment = await commentIn(blob);
    if (comment?.sample !== i || comment.digest !== this.digest)
      throw otherFile(this.file.name, undefined, `its image ${i} is of something else`);
    const { width, height } = this.file.info(i);
    return comment.picture || width !== 1 || height !== 1 ? { blob, picture: comment.picture } : null;
  }

  close(): void {
    this.file.close();
  }
}

/** Bytes in which the comment stands. */
const COMMENT_WITHIN = 256;

/** What is said of a thumbnail. */
interface Said {
  readonly sample: number;
  readonly digest: string;
  readonly size: number;
  readonly picture: PictureFacts | null;
}

async function commentIn(jpeg: Blob): Promise<Said | null> {
  const head = new Uint8Array(await jpeg.slice(0, COMMENT_WITHIN).arrayBuffer());
  const found = COMMENT.exec(commentOf(head) ?? "");
  if (!found) return null;
  const [width, height] = [Number(found[4] ?? 0), Number(found[5] ?? 0)];
  const picture = width > 0 && height > 0 ? { width, height, orientation: Number(found[6] ?? 1) } : null;
  return { sample: Number(found[1]), digest: found[2]!, size: Number(found[3]), picture };
}

const otherFile = (strip: string | undefined, file: string | undefined, why: string) =>
  otherThumbs(strip, `the thumbnails ${strip ?? ""} are not those of ${file ?? "this file"}: ${why}`);

/** Thumbnails of another file; the command says the same by the same code. */
export const otherThumbs = (strip: string | undefined, message: string) =>
  new ForebayError("thumbs.other_file", "usage", message, { file: strip });
