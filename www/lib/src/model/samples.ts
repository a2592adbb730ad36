/** Files of samples. */
import type { Divided, DivideOptions, Duplicates, DuplicatesOptions, Outliers, OutliersOptions } from "./curate.js";
import type { EditOptions, Edits } from "./edits.js";
import type { Input } from "./io.js";
import type { Codec, ForebayErrorLike, Json, MediaFormat } from "./names.js";
import type { BoxesOptions, OpenOptions, Opened, ReadOptions, WhereOptions } from "./opened.js";
import type { RecordBatch, RecordsOptions, SampleRange, SortOptions } from "./records.js";
import type { Stats } from "./reports.js";
import type { Table } from "./tables.js";
import type { Tensor, TensorOptions } from "./tensor.js";
import type { StoredThumbnail, ThumbnailBitmapOptions, ThumbnailOptions } from "./thumbnails.js";

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
  /** The file that it is in, of several that were opened as one; {@link offset} is there. */
  readonly shard?: string;
  /** True if the index entry is damaged: nothing else in here can be relied on. */
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
  /** Folders, links and devices of a TAR, which are not samples. */
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

/** A box of a sample. */
export interface SampleBox {
  /** Left, top, right, bottom, from 0 to 1 of the picture. */
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
  /** Its class, a number among the classes that the manifest or the document names; `null` where nobody said. */
  readonly class: number | null;
  /** What that class is called; `null` where nobody said. */
  readonly label: string | null;
}

/** How to walk over samples. */
export interface SamplesOptions extends WhereOptions {
  /** Only these, in this order. With {@link WhereOptions.where}, those of them that match. */
  indexes?: ArrayLike<number> | Iterable<number>;
}

/** How to count. */
export interface StatsOptions extends WhereOptions {
  /**
   * Count classes too: the field of the metadata that holds them, such as `cls` or `json.label`. This reads the
   * metadata of every sample.
   */
  classField?: string;
}

/** An opened file of samples: images or other payloads, with metadata. */
export interface Dataset extends Opened {
  /** Tells samples from a {@link Table}. */
  readonly kind: "samples";
  /** The format, by content. */
  readonly format: "tbl" | "tar" | "zip" | "warehouse";
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
  /** True if the index is the one that an earlier opening kept: nothing was scanned. */
  readonly fromStore: boolean;
  /** The fields that filters and tables can use. Fields of the metadata are not listed: they differ by sample. */
  readonly schema: readonly Field[];
  /** What the file says about itself. */
  readonly metadata: Metadata;
  /** What was found first to be wrong with a damaged TAR: the samples around it are here. */
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
   * The picture of sample `i` as numbers for a model: decoded, resized and normalized as the native loader does it.
   * The decoders are a module of their own, which is loaded with the first tensor.
   */
  tensor(i: number, options: TensorOptions): Promise<Tensor>;
  /**
   * A small picture of sample `i`, turned as its EXIF says: decoded in a worker, by the browser where it can, else as for tensors.
   * Some are kept, so that the same one comes at once; `close` lets them go.
   */
  thumbnail(i: number, options?: ThumbnailOptions): Promise<Blob>;
  /** The same as a bitmap for drawing; it is not kept. */
  thumbnail(i: number, options: ThumbnailBitmapOptions): Promise<ImageBitmap>;
  /**
   * Uses thumbnails that were made before: a file that `writeThumbs` wrote, or, if none is given, the one
   * that lies beside this one under its name with `.thumbs` behind it, which addresses and paths can have. Those that are small enough
   * come from there then. Resolves to whether there is one; rejects with "thumbs.other_file" if it is not of this file.
   */
  openThumbs(input?: Input, options?: { signal?: AbortSignal }): Promise<boolean>;
  /**
   * The thumbnail of sample `i` as it lies in the file of thumbnails that {@link openThumbs} opened, with what is known of its
   * picture; `null` where there is none. The picture itself is not read.
   */
  storedThumbnail(i: number, options?: { signal?: AbortSignal }): Promise<StoredThumbnail | null>;
  /** The metadata of sample `i`: a TBL's record, or one made of a TAR's sidecars; `null` where there is none. */
  record(i: number, options?: ReadOptions): Promise<Json>;
  /**
   * The boxes of sample `i`: those of a warehouse, or those that the metadata has, as `forebay convert --labels` writes it; of
   * other shapes the boxes around them. `null` where the metadata says nothing of them. Rejects with a `label.*` code where it
   * cannot be read, and with `label.ambiguous` where it has boxes as another program wrote them and `as` does not say what they mean.
   */
  boxes(i: number, options?: BoxesOptions): Promise<SampleBox[] | null>;
  /** The document beside the samples' metadata; empty if there is none. */
  document(options?: ReadOptions): Promise<{ [key: string]: Json }>;
  /**
   * Reads payloads ahead, near ones together, so that `bytes`, `blob` and what is made of them answer at once: in order, until
   * `budgetBytes` (default: 64 MiB) are read. No more than that is kept, those that were used last. What cannot be read is passed over.
   */
  prefetch(
    samples: ArrayLike<number> | Iterable<number> | SampleRange,
    options?: { signal?: AbortSignal; budgetBytes?: number },
  ): Promise<void>;

  /** Records in batches, for tables and counts over many samples: one message of a worker for a batch, not for a record. */
  records(options?: RecordsOptions): AsyncIterableIterator<RecordBatch>;
  /**
   * The numbers of the samples in the order of a field: of the index (`width`, `bytes`, as filters call them), the `name`, or a path
   * in the metadata. Numbers come before texts, `b9` before `b10`, what is missing at the end, equal ones as in the file.
   */
  sort(by: string, options?: SortOptions): Promise<Uint32Array>;
  /** Samples in order, the next few read ahead. */
  samples(options?: SamplesOptions): AsyncIterableIterator<Sample>;
  /**
   * The numbers of the samples that match, in order: what a gallery shows. Reads nothing if the filter asks for
   * the index alone. Rejects with a `filter.*` code where the expression cannot be read; `offset` is the character.
   */
  matches(where: string, options?: Omit<WhereOptions, "where">): Promise<Uint32Array>;
  /** Counts, sizes, shapes and classes of all samples, or of those that match. */
  stats(options?: StatsOptions): Promise<Stats>;
  /**
   * Finds samples that are alike: the same bytes, or pictures that look the same. Every sample is read, and decoded in the
   * workers; what was found of them is kept for the next question. The module for it is loaded with the first question.
   */
  duplicates(options?: DuplicatesOptions): Promise<Duplicates>;
  /** Finds samples that stand out, with the reasons: dark, blurred, tiny, of odd shape. */
  outliers(options?: OutliersOptions): Promise<Outliers>;
  /**
   * Divides the samples into parts such as `train` and `val`, each with its share of every class and no group torn: the parts that
   * `forebay split --train --val` makes of the same file with the same options and seed. Nothing is written.
   */
  divide(options: DivideOptions): Promise<Divided>;
  /**
   * Opens the journal of changes to this dataset, or begins one; the dataset itself stays as it is. Rejects with "edits.locked"
   * where another tab has it open, and with "edits.other_file" where it is of another file. The module for it is loaded with the
   * first journal.
   */
  edit(options?: EditOptions): Promise<Edits>;
}
