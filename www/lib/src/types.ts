/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The public interface of `forebay`, as types: what a source is, what a dataset answers, what conversion takes.
 *
 * Numbers of samples and byte positions are JavaScript numbers: files over 2^53 bytes are refused when they are
 * opened. Everything that reads takes an `AbortSignal`.
 *
 * @module
 */
import type { Table, TableConvertOptions, TableConvertSummary, TableFormat } from "./table-types.js";

export type * from "./table-types.js";

/** Bytes that can be read by range: the only seam for input. */
export interface Source {
  /** The length in bytes. */
  readonly byteLength: number;
  /** A name for messages and for a suggestion when saving. It decides nothing else. */
  readonly name?: string;
  /** The bytes from `start` to `end`, exclusive. Fewer bytes than asked for are an error of the source. */
  read(start: number, end: number, options?: { signal?: AbortSignal }): Promise<Uint8Array>;
  /** The whole as a `Blob`, where there is one: payloads are then cut out of it without being read. */
  readonly blob?: Blob;
  /** A handle of the same file of the origin-private file system: workers then read it faster, several of them at once. */
  readonly handle?: FileSystemFileHandle;
  /** What was read so far, where the source counts. */
  readonly telemetry?: Telemetry;
  /** Tells this content from any other, also tomorrow: a name with length and date, an address with its ETag. */
  readonly identity?: string;
  /** Lets go of what the source holds. `open` calls it for sources that it made itself. */
  close?(): void | Promise<void>;
}

/**
 * What {@link open} takes. A string is a URL; in Node also a path. A file of the origin-private file system is given
 * best as its handle: work on the whole of it then reads it without another process, and nobody can write it meanwhile.
 */
export type Input = Blob | FileSystemFileHandle | ArrayBuffer | Uint8Array | URL | string | Source;

/** Requests and bytes so far. One object for the life of a dataset; its numbers grow. */
export interface Telemetry {
  /** Reads that reached the source: HTTP requests, or reads of a file. */
  readonly requests: number;
  /** Bytes that came back. */
  readonly bytesRead: number;
  /** The length of the whole. */
  readonly byteLength: number;
}

/**
 * The WebAssembly modules: `forebay` reads samples and is loaded with the first file; `convert` also converts and reads
 * what is packed with Zstandard; `threads` does the same on several threads, where the page is cross-origin isolated;
 * `tables` reads tables; `tensor` decodes JPEG, `pictures` the other formats too.
 */
export type ModuleName = "forebay" | "convert" | "threads" | "tables" | "tensor" | "pictures";

/** Where the parts of the package are and how much of the machine they take. Everything is optional. */
export interface RuntimeOptions {
  /** The reader's WebAssembly file, where it is not beside the package's own modules. The others lie beside it. */
  wasmUrl?: string | URL;
  /** The files of single modules, where they lie apart. */
  wasmUrls?: Partial<Record<ModuleName, string | URL>>;
  /** The worker's module, where it is not beside the package's own modules. */
  workerUrl?: string | URL;
  /** The reader's compiled module itself: nothing is fetched then. */
  wasmModule?: WebAssembly.Module;
  /** The same of single modules. */
  wasmModules?: Partial<Record<ModuleName, WebAssembly.Module>>;
  /** Workers at most; 0 does all work on the caller's thread. Usual: one more than half the processors, at most 4. */
  workers?: number;
  /** Threads of the threaded build; 0 does without it. Usual: one for each processor, at most 8; none on two. */
  threads?: number;
}

/** How to open. */
export interface OpenOptions {
  /** Ends the opening. */
  signal?: AbortSignal;
  /** The name to show, where the input has none. */
  name?: string;
  /** Hears how far the opening is: bytes looked at of all (a TAR's headers take a while), and samples found. */
  onProgress?: (progress: OpenProgress) => void;
  /**
   * Resolve as soon as the first samples of a TAR are known, instead of after its last header. The dataset then
   * grows: {@link Dataset.growing}. Formats with an index open whole at once.
   */
  grow?: boolean;
  /** Where the scan of a TAR is kept, so that the same file opens at once the next time. */
  indexStore?: IndexStore;
  /** Keep what comes before the damage of a TAR; {@link Dataset.damage} says what is wrong. Usual: true. */
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
}

/** Keeps what was found in files without an index. What it gives back is compared with the file before it is used. */
export interface IndexStore {
  /** What was kept under this identity, if anything. */
  get(identity: string): Promise<Uint8Array | null | undefined>;
  /** Keeps it, or does not: nothing depends on it. */
  set(identity: string, index: Uint8Array): Promise<void>;
}

/** Bounds that a file's numbers are held against before anything is allocated. */
export interface Limits {
  /** The largest decompressed sample; usual 64 MiB. */
  itemBytes?: number;
  /** The largest index; usual 512 MiB. */
  indexBytes?: number;
  /** The largest metadata section that is read as a whole; usual 128 MiB. */
  metadataBytes?: number;
}

/** How to fetch ranges. */
export interface HttpOptions {
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch;
  /** Sent with every request, given as to `fetch`. Headers that are not safelisted cost a preflight. */
  headers?: Record<string, string> | Headers | [name: string, value: string][];
  /** As of `fetch`. Usual: "same-origin". */
  credentials?: RequestCredentials;
  /** The length, for servers that hide it. */
  byteLength?: number;
  /** Times that a failed request is repeated; usual 3. */
  retries?: number;
  /** Milliseconds without a byte after which a request has stalled; usual 30,000. `Infinity` waits for ever. */
  stallTimeout?: number;
  /** A server that ignores `Range` sends the whole file; it is kept in memory up to so many bytes. Usual 256 MiB. */
  maxWholeBytes?: number;
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

/** The formats that are recognised by content. The first two hold samples, `tbf` and `idv` are tables. */
export type Format = "tbl" | "tar" | "gzip" | "zstd" | "tbf" | "idv" | "parquet" | "arrow";

/** What a payload is. The order is that of the numbers in {@link IndexColumns.format}. */
export type MediaFormat = "unknown" | "jpeg" | "png" | "webp" | "bmp" | "tiff" | "mp4" | "avi" | "raw_u8";

/** What a format is called elsewhere. */
export interface FormatNames {
  /** Its media type. */
  readonly mime: string;
  /** The usual extension of its files, without a dot. */
  readonly extension: string;
}

/** How a payload is stored. The order is that of the numbers in {@link IndexColumns.codec}. */
export type Codec = "none" | "lz4" | "zstd";

/** What the index says about one sample. */
export interface SampleInfo {
  /** The sample's number. */
  readonly index: number;
  /** What the payload is. */
  readonly format: MediaFormat;
  /** The payload's media type. */
  readonly mime: string;
  /** The usual extension of files of this format, without a dot. */
  readonly extension: string;
  /** Pixels across; 0 when the index does not know. */
  readonly width: number;
  /** Pixels down; 0 when the index does not know. */
  readonly height: number;
  /** Bytes of the payload, decompressed. */
  readonly bytes: number;
  /** Bytes of the payload in the file. */
  readonly storedBytes: number;
  /** Where they begin. */
  readonly offset: number;
  /** How they are stored. */
  readonly codec: Codec;
  /** True where the index entry is damaged: nothing else in here can be relied on. */
  readonly damaged: boolean;
}

/**
 * The index as columns, one value a sample, made for histograms and sorting over millions of samples. They are
 * the dataset's own: do not write to them.
 */
export interface IndexColumns {
  /** Pixels across, 0 when unknown. */
  readonly width: Uint32Array;
  /** Pixels down, 0 when unknown. */
  readonly height: Uint32Array;
  /** Bytes of the payload, decompressed. */
  readonly bytes: Float64Array;
  /** Bytes of the payload in the file. */
  readonly storedBytes: Float64Array;
  /** Where they begin. */
  readonly offset: Float64Array;
  /** {@link MediaFormat} by number; see {@link mediaFormats}. */
  readonly format: Uint8Array;
  /** {@link Codec} by number, see {@link codecs}; 255 marks a damaged entry. */
  readonly codec: Uint8Array;
}

/** One field of a sample that filters and tables can use. */
export interface Field {
  /** Its name in filters. */
  readonly name: string;
  /** What it holds. */
  readonly type: "integer" | "float" | "string" | "json";
  /** Whether it is known without reading samples or metadata. */
  readonly indexed: boolean;
}

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Whatever the file says about itself. */
export interface Metadata {
  /** The layout of a TBL: `guide` or `turboloader`. */
  readonly layout?: "guide" | "turboloader";
  /** How payloads of a TBL are compressed. */
  readonly compression?: Codec;
  /** How a TBL's metadata is written down. */
  readonly metadataFormat?: "json" | "protobuf" | "msgpack" | "custom";
  /** Members of a TAR, sidecars included. */
  readonly members?: number;
  /** Folders, links and devices of a TAR, which are no samples. */
  readonly skippedMembers?: number;
  /** What is worth knowing and no fault. */
  readonly notes: readonly string[];
}

/** A sample that {@link Dataset.samples} gives. */
export interface Sample {
  /** What the index says. */
  readonly info: SampleInfo;
  /** The sample's number. */
  readonly index: number;
  /** The payload, verified and decompressed. */
  bytes(): Promise<Uint8Array>;
  /** The payload with its media type. */
  blob(): Promise<Blob>;
  /** The sample's metadata. */
  record(): Promise<Json>;
}

/** How to walk over samples. */
export interface SamplesOptions extends WhereOptions {
  /** Only these, in this order. With {@link WhereOptions.where}, those of them that match. */
  indexes?: ArrayLike<number> | Iterable<number>;
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

/** How far a piece of work is. */
export interface Progress {
  /** Samples done. */
  readonly samples: number;
  /** Samples in all, where that is known. */
  readonly totalSamples: number | null;
  /** Bytes done: of the input. */
  readonly bytes: number;
  /** Bytes in all, where that is known. */
  readonly totalBytes: number | null;
}

/** One thing that is wrong, and where. The same fields as `forebay check --json`. */
export interface Fault {
  /** The stable code. */
  readonly code: string;
  /** Whose fault it is: `damaged`, or `limit` where the file asks for more than the limits of this check allow. */
  readonly kind?: string;
  /** In words. */
  readonly message: string;
  /** The part of the file. */
  readonly section: string | null;
  /** The archive's member. */
  readonly member?: string | null;
  /** The sample's number. */
  readonly sample: number | null;
  /** The column's name, in a table. */
  readonly column?: string | null;
  /** The row's number, in a table; where a block is damaged as a whole, its first row. */
  readonly row?: number | null;
  /** The block or row group, in a table. */
  readonly block?: number | null;
  /** The byte offset in the file. */
  readonly offset: number | null;
}

/** What a check found. The same fields as `forebay check --json`. */
export interface CheckReport {
  /** True when there is no fault. */
  readonly ok: boolean;
  /** Samples in the file, as far as it could be opened. */
  readonly samples: number;
  /** How many faults there are; the list stops at 100,000. */
  readonly fault_count: number;
  /** The faults. */
  readonly faults: readonly Fault[];
  /** Things worth knowing that are no faults. */
  readonly notes: readonly Fault[];
}

/** Extremes and mean of a number, and the first samples that have the extremes. */
export interface Spread {
  /** The least. */
  readonly min: number;
  /** The first sample that has it. */
  readonly min_at: number;
  /** The most. */
  readonly max: number;
  /** The first sample that has it. */
  readonly max_at: number;
  /** The mean. */
  readonly mean: number;
}

/** Samples with `from <= x < to`; the last bucket may have no end. */
export interface Bucket {
  /** The least that belongs to it. */
  readonly from: number;
  /** The least that no longer does; `null` where there is no end. */
  readonly to: number | null;
  /** How many samples. */
  readonly samples: number;
}

/** How many samples have a format. */
export interface FormatCount {
  /** The format. */
  readonly format: MediaFormat;
  /** How many samples. */
  readonly samples: number;
}

/** How many samples have a class. */
export interface ClassCount {
  /** The class. */
  readonly label: string;
  /** How many samples. */
  readonly samples: number;
}

/** The classes of a dataset. */
export interface ClassStats {
  /** How many different ones there are. */
  readonly distinct: number;
  /** Those with the most samples. */
  readonly top: readonly ClassCount[];
  /** Samples of all other classes. */
  readonly other: number;
  /** Samples without one. */
  readonly unlabelled: number;
}

/** Counts, sizes, shapes and classes. The same fields as `forebay stats --json`. */
export interface Stats {
  /** How many samples. */
  readonly samples: number;
  /** Bytes of all payloads, decompressed. */
  readonly bytes: number;
  /** Bytes of all payloads in the file. */
  readonly stored_bytes: number;
  /** How many times the stored bytes the decompressed are. */
  readonly ratio: number | null;
  /** How many samples each format has. */
  readonly formats: readonly FormatCount[];
  /** Bytes of a sample. */
  readonly sample_bytes: Spread | null;
  /** Samples whose width and height nobody knows. */
  readonly unknown_size: number;
  /** Pixels across. */
  readonly width: Spread | null;
  /** Pixels down. */
  readonly height: Spread | null;
  /** Samples by bytes. */
  readonly bytes_histogram: readonly Bucket[];
  /** Samples by pixels across. */
  readonly width_histogram: readonly Bucket[];
  /** Samples by pixels down. */
  readonly height_histogram: readonly Bucket[];
  /** Samples by width over height. */
  readonly aspect_histogram: readonly Bucket[];
  /** Samples by class. */
  readonly classes: ClassStats;
}

/** How to count. */
export interface StatsOptions extends WhereOptions {
  /**
   * Count classes too: the field of the metadata that holds them, such as `cls` or `json.label`. This reads the
   * metadata of every sample.
   */
  classField?: string;
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
  /** Verify the checksum. Usual: true for `bytes`, false for `blob`. */
  verify?: boolean;
}

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
  /** `f32`: normalised floats; `u8`: the pixels themselves. Usual: `f32`. */
  dtype?: "f32" | "u8";
  /** Planes one after the other (PyTorch), or channels side by side. Usual: `nchw`. */
  layout?: "nchw" | "nhwc";
  /**
   * Which part of the picture: all of it, distorted; its shorter side resized to {@link short} and the middle of that;
   * the middle without resizing; all of it undistorted on {@link fill}. Usual: `stretch`.
   */
  fit?: "stretch" | "center-crop" | "pad" | "letterbox";
  /** For `center-crop` alone: the length of the shorter side before the middle is cut out. Default: the larger of `size`. */
  short?: number;
  /** The color where there is no picture. Usual: black. */
  fill?: readonly [red: number, green: number, blue: number];
  /** How pixels between pixels are found; all but `nearest` and `bilinear-plain` look at every pixel. Usual: `bilinear`. */
  resampling?: "nearest" | "bilinear" | "bilinear-plain" | "bicubic" | "lanczos";
  /** `(value / 255 - mean) / std` for each channel; refused for `u8`, which holds the pixels themselves. Usual: 0 to 1. */
  normalize?: "imagenet" | Normalize;
  /** Turn the picture as its EXIF orientation says. Usual: false, as in most training code. */
  orient?: boolean;
  /**
   * A tensor of the same kind and length that is no longer needed: its memory is moved to the new one, and the old array
   * is empty afterwards. Saves memory from being made and given back for each picture.
   */
  into?: Float32Array | Uint8Array;
  /** Verify the payload's checksum. Usual: true. */
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

/** What every opened file has. Nothing of it must be freed by hand; `close` (or `using`) lets go of memory at once. */
export interface Opened extends Disposable {
  /** The name of the input, where it has one. */
  readonly name: string | undefined;
  /** The length of the file. */
  readonly byteLength: number;
  /** Requests and bytes so far. */
  readonly telemetry: Telemetry;

  /** Every fault of the file, as the command finds them. */
  check(options?: CheckOptions): Promise<CheckReport>;
  /** Lets go of everything; work in flight rejects. */
  close(): void;
}

/** An opened file of samples: images or other payloads, with metadata. */
export interface Dataset extends Opened {
  /** Tells samples from a {@link Table}. */
  readonly kind: "samples";
  /** The format, by content. */
  readonly format: "tbl" | "tar";
  /** How many samples there are; of a growing dataset, how many are known. */
  readonly length: number;
  /**
   * True while the headers of a TAR are still being read (with {@link OpenOptions.grow}). Everything works on the
   * samples that are known, which keep their numbers; `check` and `convert` wait for the rest. `onProgress` of the
   * opening goes on to say how far it is, after `length` has grown.
   */
  readonly growing: boolean;
  /** Resolves when everything is known; rejects where reading ended before, which {@link damage} tells too. */
  readonly whole: Promise<void>;
  /** True where the index is the one that an earlier opening kept: nothing was scanned. */
  readonly fromStore: boolean;
  /** The fields that filters and tables can use. Fields of the metadata are not listed: they differ by sample. */
  readonly schema: readonly Field[];
  /** What the file says about itself. */
  readonly metadata: Metadata;
  /** What stopped the scan of a damaged TAR: the samples before it are here. */
  readonly damage: ForebayErrorLike | null;

  /** What the index says about sample `i`, without reading anything. */
  info(i: number): SampleInfo;
  /** The name of sample `i`: for a TAR at once; for a TBL once its {@link record} was read, `undefined` before. */
  nameOf(i: number): string | undefined;
  /** The index as typed arrays. */
  columns(): IndexColumns;

  /**
   * The payload with its media type. From a `Blob` an uncompressed payload is cut out without reading it.
   * Rejects with `code` "tbl.payload_crc" where `verify` is set and the payload is damaged.
   */
  blob(i: number, options?: ReadOptions): Promise<Blob>;
  /** The payload, verified and decompressed. */
  bytes(i: number, options?: ReadOptions): Promise<Uint8Array>;
  /**
   * The picture of sample `i` as numbers for a model: decoded, resized and normalised as the native loader does it.
   * The decoders are a module of their own, which is loaded with the first tensor.
   */
  tensor(i: number, options: TensorOptions): Promise<Tensor>;
  /** The metadata of sample `i`: a TBL's record, or one made of a TAR's sidecars; `null` where there is none. */
  record(i: number, options?: ReadOptions): Promise<Json>;
  /** The document beside the samples' metadata; empty where there is none. */
  document(options?: ReadOptions): Promise<{ [key: string]: Json }>;
  /** Reads payloads ahead into a cache of bounded size, so that `bytes` and `blob` answer at once. */
  prefetch(indexes: ArrayLike<number> | Iterable<number>, options?: { signal?: AbortSignal; budgetBytes?: number }): Promise<void>;

  /** Samples in order, the next few read ahead. */
  samples(options?: SamplesOptions): AsyncIterableIterator<Sample>;
  /**
   * The numbers of the samples that match, in order: what a gallery shows. Reads nothing where the filter asks for
   * the index alone. Rejects with a `filter.*` code where the expression cannot be read; `offset` is the character.
   */
  matches(where: string, options?: Omit<WhereOptions, "where">): Promise<Uint32Array>;
  /** Counts, sizes, shapes and classes of all samples, or of those that match. */
  stats(options?: StatsOptions): Promise<Stats>;
}

/** Where converted bytes go. Positions may come in any order; bytes that were never written are zero. */
export interface Sink {
  /** Writes bytes at a position. */
  write(position: number, bytes: Uint8Array): Promise<void>;
  /**
   * Reads back what was written. Needed in one case only: the turboloader layout with `keepGoing`, where samples
   * that were left out move all that follow.
   */
  read?(start: number, end: number): Promise<Uint8Array>;
  /** Cuts or extends to a length. */
  truncate?(length: number): Promise<void>;
  /** Everything was written. */
  close?(): Promise<void>;
  /**
   * The conversion failed or was cancelled: what was written is not wanted. Called when the last write has ended; none
   * follows it. After a cancel nobody waits for it: `convert` has rejected by then. As with a `WritableStream`, a write
   * that has begun is not interrupted, and where it never ends this is never called; a sink that may wait forever
   * listens to the conversion's `signal` itself.
   */
  abort?(reason: unknown): Promise<void>;
}

/** What {@link convert} writes to. */
export type Output = Sink | FileSystemFileHandle | FileSystemWritableFileStream;

/** How to convert. */
export interface ConvertOptions {
  /** The format to write. */
  to: "tbl" | "tar";
  /** TBL: the layout. Usual: `guide`. */
  layout?: "guide" | "turboloader";
  /** TBL: `none`, `lz4` (level 1). Usual: `none`. */
  compression?: "none" | "lz4";
  /** TBL: how metadata is written down. Usual: `json`. */
  metadataFormat?: "json" | "msgpack";
  /** Only samples that match. */
  where?: string;
  /** Only these samples, in this order. With `where`, those of them that match. */
  indexes?: ArrayLike<number> | Iterable<number>;
  /** Leave broken samples out and list them, instead of stopping at the first. */
  keepGoing?: boolean;
  /** Write an output without samples where `where` matches none, instead of refusing it (`convert.empty`). */
  allowEmpty?: boolean;
  /** Ends the conversion; the sink's `abort` is called. */
  signal?: AbortSignal;
  /** Hears how far it is. */
  onProgress?: (progress: Progress) => void;
}

/** What a conversion did. */
export interface ConvertSummary {
  /** Samples written. */
  readonly samples: number;
  /** Bytes of the input. */
  readonly inputBytes: number;
  /** Bytes of the output. */
  readonly outputBytes: number;
  /** Bytes of the payloads before compression. */
  readonly payloadBytes: number;
  /** Bytes of the payloads as stored. */
  readonly storedBytes: number;
  /** Samples that compression made smaller. */
  readonly compressedSamples: number;
  /** Folders, links and devices of a TAR, which were left out. */
  readonly skippedMembers: number;
  /** What was left out with `keepGoing`, and why. */
  readonly faults: readonly Fault[];
  /** Things worth knowing. */
  readonly notes: readonly string[];
}

/** Whose fault an error is. */
export type ErrorKind = "damaged" | "unsupported" | "usage" | "limit" | "io";

/** The fields of a {@link ForebayError}, for values that crossed a thread. */
export interface ForebayErrorLike {
  /** The stable code: that of docs/errors.md. */
  readonly code: string;
  /** Whose fault it is. */
  readonly kind: ErrorKind;
  /** In words; the fields below say where. */
  readonly message: string;
  /** The input's name. */
  readonly file: string | undefined;
  /** The part of the file. */
  readonly section: string | undefined;
  /** The archive's member. */
  readonly member: string | undefined;
  /** The sample's number. */
  readonly sample: number | undefined;
  /** The column's name, in a table. */
  readonly column: string | undefined;
  /** The row's number, in a table. */
  readonly row: number | undefined;
  /** The block or row group, in a table. */
  readonly block: number | undefined;
  /** The byte in the file; for filters, the character in the expression. */
  readonly offset: number | undefined;
}

/** What this environment can do. */
export interface Capabilities {
  /** Workers that the pool may start; 0 where work happens on the caller's thread. */
  readonly workers: number;
  /**
   * Whether the threaded build is used, for conversions of large files: where the page is cross-origin isolated, on more
   * than two processors or where {@link configure} was given `threads`. Everything works without it.
   */
  readonly threads: boolean;
  /** Whether WebAssembly SIMD is there. Without it the package does not run. */
  readonly simd: boolean;
  /** Whether files can be saved as a stream. */
  readonly saveAsStream: boolean;
  /** Whether there is an origin-private file system. */
  readonly opfs: boolean;
  /** Formats that {@link open} gives samples of. */
  readonly reads: readonly Format[];
  /** Formats that {@link convert} writes. */
  readonly writes: readonly ("tbl" | "tar" | TableFormat)[];
}

/** Opens samples: the function `openSamples` of the package. */
export type Open = (input: Input, options?: OpenOptions) => Promise<Dataset>;

/** Converts a dataset, or an input that is opened for it: the function `convert` of the package. */
export interface Convert {
  /** Samples. */
  (source: Input | Dataset, output: Output, options: ConvertOptions): Promise<ConvertSummary>;
  /** A table. */
  (source: Input | Table, output: Output, options: TableConvertOptions): Promise<TableConvertSummary>;
}
