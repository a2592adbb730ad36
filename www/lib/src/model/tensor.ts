/** Pictures as numbers. */
import type { ImageNumbers } from "./module-options.js";

/** What is done to each channel: `(value / 255 - mean) / std`. */
export interface Normalize {
  /** Subtracted: red, green, blue. */
  mean: readonly [number, number, number];
  /** Divided by: red, green, blue. */
  std: readonly [number, number, number];
}

/** Which numbers a picture becomes, and how. */
export interface TensorOptions extends ImageNumbers {
  /**
   * `(value / 255 - mean) / std` for each channel; refused for `u8`, which holds the pixels themselves. Default: 0 to
   * 1.
   */
  normalize?: "imagenet" | Normalize;
  /**
   * A tensor of the same kind and length that is no longer needed: its memory is moved to the new one, and the old array
   * is empty afterwards. Saves memory from being made and given back for each picture.
   */
  into?: Float32Array | Uint8Array;
  /** Verify the payload's checksum. Default: true. */
  verify?: boolean;
  /** Ends the work. */
  signal?: AbortSignal;
}

/** A picture as numbers. */
export interface Tensor {
  /** The values, as many as `shape` says. */
  readonly data: Float32Array | Uint8Array;
  /** Pixels across. */
  readonly width: number;
  /** Pixels down. */
  readonly height: number;
  /** `[3, height, width]`, or `[height, width, 3]` for `nhwc`. */
  readonly shape: readonly [number, number, number];
}
