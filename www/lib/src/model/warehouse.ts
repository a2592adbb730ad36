/** Tensor warehouses: pictures that were decoded and resized once, in shards beside a manifest. */
import type { Json } from "./names.js";
import type { Progress, ReadOptions } from "./opened.js";
import type { RunCount, WarehouseDrift, WarehouseSample, WarehouseStatistics } from "./reports.js";
import type { Dataset, SampleBox } from "./samples.js";

/** How elements are stored. */
export type WarehouseDtype = "f32" | "f16" | "u8";

/** A rectangle in whole pixels. */
export interface PixelRect {
  /** Pixels left of it. */
  readonly x: number;
  /** Pixels above it. */
  readonly y: number;
  /** Pixels across. */
  readonly width: number;
  /** Pixels down. */
  readonly height: number;
}

/** Which numbers an image becomes. */
export interface StoredTensorOptions extends ReadOptions {
  /**
   * `f32`: from 0 to 1, whatever is stored; `u8`: from 0 to 255; `stored`: what is stored, f16 as its bits in a
   * `Uint16Array`. Default: `f32`.
   */
  dtype?: "f32" | "u8" | "stored";
}

/** An image as numbers: red, then green, then blue, each row by row. */
export interface WarehouseTensor {
  /** The values, as many as `shape` says. */
  readonly data: Float32Array | Uint8Array;
  /** What they are. */
  readonly dtype: "f32" | "u8";
  /** Pixels across. */
  readonly width: number;
  /** Pixels down. */
  readonly height: number;
  /** `[3, height, width]`. */
  readonly shape: readonly [number, number, number];
}

/** An image as it is stored, in this machine's byte order. */
export interface StoredTensor extends Omit<WarehouseTensor, "data" | "dtype"> {
  /** The values; of `f16` their bits. */
  readonly data: Float32Array | Uint16Array | Uint8Array;
  /** What they are. */
  readonly dtype: WarehouseDtype;
}

/** An image as a picture: what `new ImageData(data, width, height)` takes. */
export interface WarehousePicture {
  /** Red, green, blue and 255 for each pixel, row by row. */
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  /** Pixels across. */
  readonly width: number;
  /** Pixels down. */
  readonly height: number;
  /** The picture itself: what is around it are the bars of a letterbox. */
  readonly content: PixelRect;
  /**
   * How {@link content} is known. A warehouse does not keep the sizes of its sources: where pictures are fitted with bars,
   * rows or columns that are black on both sides are taken for these (`pixels`), so that a dark picture may have less
   * content than it had. Stretched pictures have no bars (`manifest`).
   */
  readonly contentFrom: "manifest" | "pixels";
}

/** How many frames were taken and refused. */
export interface WarehouseCounts {
  /** The run's folder; empty for all of them. */
  readonly runDir: string;
  /** Frames that are neither missing nor invalid. */
  readonly total: number;
  /** Those with boxes. */
  readonly nonEmpty: number;
  /** Those without. */
  readonly empty: number;
  /** Labels that name no image. */
  readonly missingImage: number;
  /** Labels whose image is not there. */
  readonly missingFile: number;
  /** Labels that do not read. */
  readonly invalid: number;
}

/** How many frames may be bad; `null` for no bound. */
export interface WarehouseThresholds {
  /** Labels that do not read. */
  readonly maxInvalid: number | null;
  /** Images that are not named or not there. */
  readonly maxMissing: number | null;
  /** Frames without boxes. */
  readonly maxEmpty: number | null;
  /** The same of all frames, from 0 to 1. */
  readonly maxInvalidRatio: number | null;
  /** The same of all frames. */
  readonly maxMissingRatio: number | null;
  /** The same of all frames. */
  readonly maxEmptyRatio: number | null;
}

/** A shard as the manifest describes it. */
export interface WarehouseShard {
  /** Its name in reports. */
  readonly id: string;
  /** Its file, relative to the manifest's folder. */
  readonly relativePath: string;
  /** How many samples it has. */
  readonly samples: number;
  /** Pixels across. */
  readonly width: number;
  /** Pixels down. */
  readonly height: number;
  /** Places for boxes. */
  readonly maxBoxes: number;
  /** The SHA-256 of its file, if the manifest has one. */
  readonly checksumSha256: string | null;
  /** How its images are stored. */
  readonly dtype: WarehouseDtype;
  /** How its boxes and masks are stored. */
  readonly boxesDtype: WarehouseDtype;
  /** The byte order. */
  readonly endianness: "little" | "big";
}

/** What a warehouse says of itself. */
export interface WarehouseManifest {
  /** Where the frames came from, as the builder was told. */
  readonly datasetRoot: string;
  /** What was done to them. */
  readonly transform: {
    /** Width and height. */
    readonly targetSize: readonly [number, number] | null;
    /** Stretched, or scaled evenly with black around. */
    readonly resizeMode: "force" | "letterbox";
    /** Places for boxes. */
    readonly maxBoxes: number;
  };
  /** The version: 64 hexadecimal digits. */
  readonly version: string;
  /** What the version is made of, in words. */
  readonly versionRecipe: string;
  /** The text of which the version is the SHA-256, if it is given. */
  readonly versionKey: string | null;
  /** The version that the first builder of the format would have given, if it is given. */
  readonly peerVersion: string | null;
  /** The version of the builder. */
  readonly codeVersion: string;
  /** How images are stored. */
  readonly defaultDtype: WarehouseDtype;
  /** When it was built, in milliseconds since 1970. */
  readonly createdAtMs: number;
  /** The shards, in the order of the samples. */
  readonly shards: readonly WarehouseShard[];
  /** What became of the frames: of each run, and of all of them. */
  readonly summary: {
    /** Of each run. */
    readonly runs: readonly WarehouseCounts[];
    /** Of all of them. */
    readonly totals: WarehouseCounts;
  };
  /** How many frames may be bad. */
  readonly thresholds: WarehouseThresholds;
  /** Every threshold that the summary breaks, in words; a trainer refuses such a warehouse. */
  readonly violations: readonly string[];
  /** The names of the classes; `null` where the manifest has none. */
  readonly classes: readonly string[] | null;
  /** Fields of the manifest that are none of these, as they are written there. */
  readonly other: { readonly [key: string]: Json };
}

/** How to count. */
export interface StatisticsOptions {
  /** About how many samples' pixels are counted; 0 for none. Default: 256. */
  pictures?: number;
  /** Ends the work. */
  signal?: AbortSignal;
  /** Hears how far it is. */
  onProgress?: (progress: Progress) => void;
}

/**
 * An opened warehouse: a dataset whose payloads are tensors, with boxes. Filters know the fields of its records: `run`,
 * `frame_id`, `source`, `name`, `shard`, `boxes`. `blob` and `bytes` give an image as it is stored; {@link picture} what it
 * shows.
 */
export interface Warehouse extends Dataset {
  readonly format: "warehouse";
  /** What the manifest says. */
  readonly manifest: WarehouseManifest;
  /** What is known of sample `i` beside its tensors, without reading anything. */
  sample(i: number): Promise<WarehouseSample>;
  /** The image of sample `i` as floats, pixels, or as it is stored. What {@link Dataset.tensor} asks beyond `dtype` is refused. */
  tensor(i: number, options?: StoredTensorOptions & { dtype?: "f32" | "u8" }): Promise<WarehouseTensor>;
  tensor(i: number, options: StoredTensorOptions & { dtype: "stored" }): Promise<StoredTensor>;
  /** The image of sample `i` as a picture. */
  picture(i: number, options?: ReadOptions): Promise<WarehousePicture>;
  /** The boxes of sample `i`. */
  boxes(i: number, options?: ReadOptions): Promise<SampleBox[]>;
  /** What the warehouse consists of: boxes, classes and runs, and the pixels of some samples. */
  statistics(options?: StatisticsOptions): Promise<WarehouseStatistics>;
  /** How far it is from an earlier one, in everything that is counted; what differs most comes first. */
  drift(earlier: Warehouse, options?: StatisticsOptions): Promise<WarehouseDrift>;
  /** How many samples each run has, in the order in which runs are met; from the index, without reading tensors. */
  runs(): Promise<RunCount[]>;
}
