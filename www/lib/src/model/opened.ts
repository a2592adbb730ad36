/// <reference lib="esnext.disposable" preserve="true" />
/** How to open, and what everything opened has. */
import type { HttpOptions, IndexStore, Telemetry } from "./io.js";
import type { CheckReport } from "./reports.js";

/** How to open. */
export interface OpenOptions {
  /** Ends the opening. */
  signal?: AbortSignal;
  /** The name to show, if the input has none. */
  name?: string;
  /**
   * Hears how far the opening is: bytes looked at of all (a TAR's headers take a while), and samples found. Of several files those
   * count that were begun.
   */
  onProgress?: (progress: OpenProgress) => void;
  /**
   * Resolve as soon as the first samples of a TAR are known, instead of after its last header. The dataset then
   * grows: `Dataset.growing`. Formats with an index open whole at once, and so do several files.
   */
  grow?: boolean;
  /** Where the scan of a TAR is kept, so that the same file opens at once the next time. */
  indexStore?: IndexStore;
  /** Pass over what is damaged in a TAR; `Dataset.damage` says what is wrong. Default: true. */
  keepGoing?: boolean;
  /** Bounds on what a file may cost; the usual ones suit a browser tab. */
  limits?: Limits;
  /** For a URL: how to fetch. */
  http?: HttpOptions;
  /**
   * What a TBF of layout S or U holds, which does not say it itself: the object of the command's `--schema` file,
   * such as `{ S: [{ name: "id", type: "u32" }] }`.
   */
  tbfSchema?: object;
  /**
   * Of a Parquet or Arrow file: the column whose pictures are the samples, bytes or a struct with them, as Hugging Face's `datasets`
   * writes them. `openSamples` finds it by itself. The pictures are read once and kept beside the file, in memory or where the
   * browser keeps large Blobs. Of JSON lines: the field that names the pictures, such as `file_name` or `data.image`; these stay
   * where they are, and each is read when it is asked for.
   */
  column?: string;
}

/** Bounds that a file's numbers are checked against before anything is allocated. */
export interface Limits {
  /** The largest decompressed sample; usual 64 MiB. */
  itemBytes?: number;
  /** The largest index; usual 512 MiB. */
  indexBytes?: number;
  /** The largest metadata section that is read as a whole; usual 128 MiB. */
  metadataBytes?: number;
}

/** How far the opening is. */
export interface OpenProgress {
  /** Position in the file up to which it was looked at. */
  readonly bytes: number;
  /** The file's length. */
  readonly totalBytes: number;
  /** Samples (TBL) or members (TAR) found so far. */
  readonly samples: number;
}

/** Which samples, and an end. */
export interface WhereOptions {
  /** A filter expression: `width >= 224 && format == "jpeg"`. */
  where?: string;
  /** Ends the work. */
  signal?: AbortSignal;
  /** Hears how many samples were looked at. */
  onProgress?: (progress: Progress) => void;
}

/** Which samples something is about. */
export interface ChosenOptions extends WhereOptions {
  /** Only these samples. With {@link WhereOptions.where}, those of them that match. */
  indexes?: ArrayLike<number> | Iterable<number>;
}

/** How far a piece of work is. */
export interface Progress {
  /** Samples done. */
  readonly samples: number;
  /** Samples in all, if that is known. */
  readonly totalSamples: number | null;
  /** Bytes done: of the input. */
  readonly bytes: number;
  /** Bytes in all, if that is known. */
  readonly totalBytes: number | null;
}

/** How to check. */
export interface CheckOptions {
  /** Ends the check. */
  signal?: AbortSignal;
  /** Hears how far it is. */
  onProgress?: (progress: Progress) => void;
}

/** How to read one payload or record. */
export interface ReadOptions {
  /** Ends the read. */
  signal?: AbortSignal;
  /** Verify the checksum. Default: true for `bytes`, false for `blob`. */
  verify?: boolean;
}

/** How to read boxes. */
export interface BoxesOptions extends ReadOptions {
  /** What boxes of other programs mean: `xyxy`, or a field and that, `json.boxes:xywh`; the words are those of `forebay labels`. */
  as?: string;
}

/** What every opened file has. Nothing of it must be freed by hand; `close` (or `using`) frees memory at once. */
export interface Opened extends Disposable {
  /** The name of the input, if it has one. */
  readonly name: string | undefined;
  /** The length of the file. */
  readonly byteLength: number;
  /** Requests and bytes so far. */
  readonly telemetry: Telemetry;

  /** Every fault of the file, as the command finds them. */
  check(options?: CheckOptions): Promise<CheckReport>;
  /** Frees everything; work in flight rejects. */
  close(): void;
}
