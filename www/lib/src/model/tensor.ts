/** Pictures as numbers. */

/** What is done to each channel: `(value / 255 - mean) / std`. */
export interface Normalize {
  /** Subtracted: red, green, blue. */
  mean: readonly [number, number, number];
  /** Divided by: red, green, blue. */
  std: readonly [number, number, number];
}

/** Which numbers a picture becomes. The same as those of the native loader, to the last bit. */
export interface TensorOptions {
  /** Pixels across and down. */
  size: readonly [width: number, height: number];
  /** `f32`: normalized floats; `u8`: the pixels themselves. Default: `f32`. */
  dtype?: "f32" | "u8";
  /** Planes one after the other (PyTorch), or channels side by side. Default: `nchw`. */
  layout?: "nchw" | "nhwc";
  /**
   * Which part of the picture: all of it, distorted; its shorter side resized to {@link short} and the middle of that;
   * the middle without resizing; all of it undistorted on {@link fill}. Default: `stretch`.
   */
  fit?: "stretch" | "center-crop" | "pad" | "letterbox";
  /** For `center-crop` alone: the length of the shorter side before the middle is cut out. Default: the larger of `size`. */
  short?: number;
  /** The color where there is no picture. Default: black. */
  fill?: readonly [red: number, green: number, blue: number];
  /**
   * How pixels between pixels are found; all but `nearest` and `bilinear-plain` look at every pixel. Default:
   * `bilinear`.
   */
  resampling?: "nearest" | "bilinear" | "bilinear-plain" | "bicubic" | "lanczos";
  /**
   * `(value / 255 - mean) / std` for each channel; refused for `u8`, which holds the pixels themselves. Default: 0 to
   * 1.
   */
  normalize?: "imagenet" | Normalize;
  /** Turn the picture as its EXIF orientation says. Default: false, as in most training code. */
  orient?: boolean;
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
