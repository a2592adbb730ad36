import * as argument from "../base/arguments.js";
import { Gate } from "../base/gate.js";
import { NAMES, known } from "../base/option-names.js";
import { HEAD, fitted, isOnItsSide, orientationOf, sizeInHeader, turned, type Part } from "../base/picture-header.js";
import { ForebayError, hostError } from "../model/errors.js";
import type { SampleInfo, ThumbnailBitmapOptions, ThumbnailOptions } from "../model/index.js";
import { call, client, workerCount } from "../pool/pool.js";
import type { Wanted } from "../worker/thumbnails.js";
import { tensorOf } from "./tensor.js";

/** Pixels of a picture: red, green and blue. */
export interface Pixels {
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** What thumbnails need of their dataset. */
export interface Pictures {
  readonly name: string | undefined;
  info(i: number): SampleInfo;
  /** The file of a picture, or its pixels. */
  picture(i: number, signal: AbortSignal): Promise<Blob | Pixels>;
}

/** Thumbnails that were made before. */
export interface MadeBefore {
  /** No edge of them is longer. */
  readonly size: number;
  /** That of a sample; `null` where there is none. */
  get(i: number, signal: AbortSignal): Promise<Blob | null>;
}

/** Edges that may be asked for. */
const MOST = 2048;
const USUAL = 160;
const QUALITY = 0.8;
const TYPES = ["image/jpeg", "image/png", "image/webp"];
/** Bytes of finished thumbnails that a dataset keeps. */
const KEPT = 32 << 20;
/** Pictures that are read at once: all that are in sight, so that a source can read near ones together. */
const READS = 64;

/** Pictures in the workers at once: one is decoded while the next is on its way. */
const decoding = new Gate(() => 2 * Math.max(1, workerCount()));

/** Whether this environment writes pictures itself. */
const canEncode = (): boolean => typeof OffscreenCanvas === "function";

/** Makes thumbnails, and keeps some. */
export class Thumbnails {
  /** Those of a strip, which need no picture. */
  before: MadeBefore | null = null;
  readonly #kept = new Map<string, Blob>();
  #bytes = 0;
  readonly #reading = new Gate(() => READS);

  constructor(readonly of: Pictures) {}

  async get(
    i: number,
    options: ThumbnailOptions | ThumbnailBitmapOptions,
    signal: AbortSignal,
  ): Promise<Blob | ImageBitmap> {
    const wanted = this.#wanted(options);
    const key = [i, wanted.size, wanted.box, wanted.type, wanted.quality].join();
    const kept = this.#kept.get(key);
    if (kept) {
      // The most recently used stays longest.
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const made = await this.#madeBefore(i, wanted, signal).then((found) => found ?? this.#make(i, wanted, signal));
    if (made instanceof Blob) this.#keep(key, made);
    return made;
  }

  close(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #wanted(options: ThumbnailOptions | ThumbnailBitmapOptions): Wanted {
    known(argument.options(options, "how a thumbnail is made"), NAMES.thumbnail, "thumbnail");
    const file = this.of.name;
    const { size = USUAL, box = null } = options;
    const { as = "blob", type, quality = QUALITY } = options as ThumbnailOptions & { as?: string };
    argument.whole(size, "a thumbnail's size", 1, MOST);
    if (as !== "blob" && as !== "bitmap")
      throw hostError("usage.argument", `a thumbnail is a "blob" or a "bitmap", not ${JSON.stringify(as)}`, { file });
    if (type !== undefined && !TYPES.includes(type))
      throw hostError(
        "usage.argument",
        `a thumbnail's type is one of ${TYPES.join(", ")}, not ${JSON.stringify(type)}`,
        { file },
      );
    if (!(typeof quality === "number" && quality >= 0 && quality <= 1))
      throw hostError("usage.argument", `a thumbnail's quality is from 0 to 1, not ${String(quality)}`, { file });
    if (box !== null) partOf(box, file);
    if (!canEncode() && (as === "bitmap" || (type !== undefined && type !== "image/png")))
      throw hostError(
        "usage.argument",
        `nothing here makes ${as === "bitmap" ? "bitmaps" : type}: thumbnails are PNG files`,
        { file },
      );
    return { size, box, type: as === "bitmap" ? null : (type ?? "image/jpeg"), quality };
  }

  #keep(key: string, made: Blob): void {
    // Two may have asked for the same.
    this.#bytes += made.size - (this.#kept.get(key)?.size ?? 0);
    this.#kept.set(key, made);
    for (const [old, unused] of this.#kept) {
      if (this.#bytes <= KEPT) break;
      this.#kept.delete(old);
      this.#bytes -= unused.size;
    }
  }

  /** From the strip, if there is one that has it large enough. */
  async #madeBefore(i: number, wanted: Wanted, signal: AbortSignal): Promise<Blob | ImageBitmap | null> {
    const { before } = this;
    if (!before || wanted.box !== null || before.size < wanted.size) return null;
    const found = await before.get(i, signal);
    if (!found) return null;
    // As it lies there, if that is what was asked for.
    if (before.size === wanted.size && wanted.type === "image/jpeg") return found;
    return canEncode() ? this.#drawn(found, wanted, signal) : null;
  }

  async #make(i: number, wanted: Wanted, signal: AbortSignal): Promise<Blob | ImageBitmap> {
    const info = this.of.info(i);
    const { name: file } = this.of;
    const picture = await this.#reading.run(() => this.of.picture(i, signal), signal);
    try {
      if (picture instanceof Blob) {
        const drawn = canEncode() ? await this.#drawn(picture, wanted, signal) : null;
        if (drawn) return drawn;
      }
      const pixels = await decoding.run(() => this.#decoded(picture, info, wanted), signal);
      return await call(await client(), file, "thumbnailOfPixels", [pixels.rgb, pixels.width, pixels.height, wanted]);
    } catch (e) {
      // What decodes knows no samples.
      throw e instanceof ForebayError && e.sample === undefined
        ? new ForebayError(e.code, e.kind, e.message, { ...e, file: e.file ?? file, sample: i }, e)
        : e;
    }
  }

  /** By the browser's own decoder, in a worker. */
  #drawn(picture: Blob, wanted: Wanted, signal: AbortSignal): Promise<Blob | ImageBitmap | null> {
    return decoding.run(async () => call(await client(), this.of.name, "thumbnailOf", [picture, wanted]), signal);
  }

  /** By the module's decoder, which says in its own words what is wrong with a picture. */
  async #decoded(picture: Blob | Pixels, info: SampleInfo, { size, box }: Wanted): Promise<Pixels> {
    const bytes = picture instanceof Blob ? new Uint8Array(await picture.arrayBuffer()) : picture.rgb;
    const head = bytes.subarray(0, HEAD);
    const orientation = picture instanceof Blob ? orientationOf(head) : 1;
    // A list of what is in a TIFF may stand at its end.
    const [w, h] =
      picture instanceof Blob ? (sizeInHeader(bytes) ?? [info.width, info.height]) : [picture.width, picture.height];
    const [width, height] = isOnItsSide(orientation) ? [h, w] : [w, h];
    const part = box ? turned(box, orientation) : ([0, 0, 1, 1] as const);
    const [partWidth, partHeight] = [(part[2] - part[0]) * width, (part[3] - part[1]) * height];
    const scale = Math.min(1, size / Math.max(partWidth, partHeight));
    // Of no size: the decoder says what it is.
    const all = width > 0 ? fitted(width, height, Math.max(width, height) * scale) : ([1, 1] as const);
    const raw = { ...info, format: picture instanceof Blob ? info.format : "raw_u8", width: w, height: h } as const;
    const { data } = await tensorOf(bytes, raw, this.of.name, {
      size: [all[0], all[1]],
      dtype: "u8",
      layout: "nhwc",
      orient: true,
    });
    const rgb = data as Uint8Array;
    return box ? cut({ rgb, width: all[0], height: all[1] }, part, size) : { rgb, width: all[0], height: all[1] };
  }
}

/** Refuses what is not a part of a picture. */
function partOf(box: Part, file: string | undefined): void {
  const fine = Array.isArray(box) && box.length === 4 && box.every((n) => typeof n === "number" && n >= 0 && n <= 1);
  if (fine && box[0] < box[2] && box[1] < box[3]) return;
  throw hostError("usage.argument", "a box is [left, top, right, bottom], each from 0 to 1, and not empty", { file });
}

/** A part of a picture's pixels. */
function cut({ rgb, width, height }: Pixels, [l, t, r, b]: Part, size: number): Pixels {
  const [left, top] = [Math.min(width - 1, Math.round(l * width)), Math.min(height - 1, Math.round(t * height))];
  const across = Math.max(1, Math.min(size, Math.round(r * width) - left));
  const down = Math.max(1, Math.min(size, Math.round(b * height) - top));
  const out = new Uint8Array(across * down * 3);
  for (let y = 0; y < down; y++) {
    const from = ((top + y) * width + left) * 3;
    out.set(rgb.subarray(from, from + across * 3), y * across * 3);
  }
  return { rgb: out, width: across, height: down };
}
