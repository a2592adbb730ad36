/** Options that modules take. Made from the Rust types by `npm run types`: change those. */

/** Which numbers an image becomes. The same as those of the native loader, to the last bit. */
export interface ImageNumbers {
  /** Pixels across and down. */
  size: readonly [width: number, height: number];
  /** `f32`: normalized floats; `u8`: the pixels themselves. Default: `f32`. */
  dtype?: "f32" | "u8";
  /** Planes one after the other (PyTorch), or channels side by side. Default: `nchw`. */
  layout?: "nchw" | "nhwc";
  /**
   * Which part of the image: all of it, distorted; its shorter side resized to `short` and the middle of that; the
   * middle without resizing; all of it undistorted on `fill`. Default: `stretch`.
   */
  fit?: "stretch" | "center-crop" | "pad" | "letterbox";
  /**
   * How pixels between pixels are found; all but `nearest` and `bilinear-plain` look at every pixel. Default:
   * `bilinear`.
   */
  resampling?: "nearest" | "bilinear" | "bilinear-plain" | "bicubic" | "lanczos";
  /**
   * For `center-crop` alone: the length of the shorter side before the middle is cut out. Default: the larger of
   * `size`.
   */
  short?: number;
  /** The color where there is no image: red, green and blue. Default: black. */
  fill?: readonly [red: number, green: number, blue: number];
  /** Turn the image as its EXIF orientation says. Default: false, as in most training code. */
  orient?: boolean;
}

/** What label files, or the metadata of samples, mean. Where they do not say it, the error names the option. */
export interface LabelMeaning {
  /** Pascal VOC: whether the first pixel is 0 or 1. */
  vocBase?: 0 | 1;
  /** YOLO: what lines of more than five columns are. */
  task?: "box" | "obb" | "segment";
  /** YOLO: lines of six columns are boxes with a score. */
  scores?: boolean;
  /** CVAT: what becomes of frames between the key frames of a track. Default: `interpolate`. */
  between?: "interpolate" | "refuse" | "listed";
  /** Which of several annotations of one image counts. */
  pick?: "first" | "last" | "all";
  /** In which raster boxes of images are to be that EXIF turns. */
  exif?: "apply" | "ignore" | "refuse";
  /** Names of images: whole, or only their last part. Default: `whole`. */
  names?: "whole" | "last";
  /** The classes, for formats that number them and do not name them. */
  classes?: readonly string[];
  /** Label Studio: which key of a task names the image. */
  imageKey?: string;
  /** Which field has boxes, and what four numbers of it mean: `json.boxes:xywh`. */
  boxes?: string;
}

/** How samples are written. */
export interface SamplesConversion {
  /** The format to write. */
  to: "tbl" | "tar";
  /** TBL: the layout. Default: `guide`. */
  layout?: "guide" | "turboloader";
  /** TBL: `none`, `lz4` (level 1). Default: `none`. */
  compression?: "none" | "lz4";
  /** TBL: how metadata is written down. Default: `json`. */
  metadataFormat?: "json" | "msgpack";
  /** Leave broken samples out and list them, instead of stopping at the first. */
  keepGoing?: boolean;
}

/** How a table is written. */
export interface TableConversion {
  /** The format to write. */
  to: "tbf" | "idv" | "parquet" | "arrow" | "arrows" | "csv" | "tsv" | "jsonl";
  /** Only these columns, in this order. */
  columns?: readonly string[];
  /** Only rows that match. The filter may name columns that are not written. */
  where?: string;
  /** Change what the target cannot hold, and say so in the notes, instead of refusing it. */
  lossy?: boolean;
  /** Rows of a row group (TBF, Parquet) or block (IDV). */
  groupRows?: number;
  /**
   * IDV: how blocks are packed. `none` has the bytes of the command; `deflate` is packed by another encoder than the
   * command's, so that the rows are the same and the bytes are not. Default: `deflate`. Parquet: `snappy`, `lz4` or
   * `none`; default: `snappy`. Arrow: `lz4` or `none`; default: `none`.
   */
  compression?: "none" | "deflate" | "snappy" | "lz4";
}

/** @internal The names of the options of each kind. */
export const moduleOptions = {
  SamplesConversion: ["to", "layout", "compression", "metadataFormat", "keepGoing"],
  TableConversion: ["to", "columns", "where", "lossy", "groupRows", "compression"],
  LabelMeaning: ["vocBase", "task", "scores", "between", "pick", "exif", "names", "classes", "imageKey", "boxes"],
  ImageNumbers: ["size", "dtype", "layout", "fit", "resampling", "short", "fill", "orient"],
} as const;
