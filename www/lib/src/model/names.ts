/** Names of formats and codecs, the fields of an error, and what JSON is. */
export type { Codec, Json, MediaFormat } from "./reports.js";

/** The formats that are recognized by content. The first ten hold samples, the last five are tables. */
export type Format =
  | "tbl"
  | "tar"
  | "zip"
  | "warehouse"
  | "tfrecord"
  | "mds"
  | "litdata"
  | "lmdb"
  | "npy"
  | "ffcv"
  | "gzip"
  | "zstd"
  | "tbf"
  | "idv"
  | "parquet"
  | "arrow"
  | "arrows";

/** What a format is called elsewhere. */
export interface FormatNames {
  /** Its media type. */
  readonly mime: string;
  /** The usual extension of its files, without a dot. */
  readonly extension: string;
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
  /** The line, from 1, in a text that people write, such as a file of labels. */
  readonly line?: number | undefined;
  /** The character in that line, from 1. */
  readonly character?: number | undefined;
  /** The way from the outermost value of a document to the one that is meant, such as `annotations[1].bbox`. */
  readonly path?: string | undefined;
  /** Options that would say what is meant, such as `pick`. */
  readonly options?: readonly string[] | undefined;
}

/** A format of text. */
export type TextFormat = "csv" | "tsv" | "jsonl";

/** A format that {@link convert} writes tables in. */
export type TableFormat = "tbf" | "idv" | "parquet" | "arrow" | "arrows" | TextFormat;
