/** The public interface of `forebay` for tables, as types. */
import type { Row, TableBatch } from "./table-batch.js";
import type { Json, Limits, Opened, Progress, ReadOptions, WhereOptions } from "./index.js";

/** One column of a table. */
export interface TableField {
  /** Its name. Names may repeat: a name then means the last column that has it. */
  readonly name: string;
  /** Its type: `bool`, `u8`, `i64`, `f32`, `string`, `bytes`, `timestamp_us`, `key<u32, 10>`, `vector<f32, 3>`... */
  readonly type: string;
  /** Whether values may be missing. */
  readonly nullable: boolean;
  /** How it is stored, where the file says it. */
  readonly encoding?: string;
  /** The names of what else is known of it. */
  readonly annotations: readonly string[];
}

/** Whatever a table's file says about itself. */
export interface TableMetadata {
  /** The layout of a TBF: `D`, `T`, `C`, `L`, `S` or `U`. */
  readonly layout?: string;
  /** Row groups or blocks, each of which is read by itself. */
  readonly groups: number;
  /** What wrote the file. */
  readonly createdBy?: string;
  /** The version of an IDV. */
  readonly version?: string;
  /** True for a TBF that holds one value and no table: {@link Table.document} has it. */
  readonly document: boolean;
  /** What is worth knowing and no fault. */
  readonly notes: readonly string[];
}

/** A column by its name or number. */
export type ColumnName = string | number;

/** Which rows and columns. */
export interface RowsOptions {
  /** The first row; usual: 0. */
  start?: number;
  /** The row after the last; usual: the end. */
  end?: number;
  /** The columns, in this order; usual: all. */
  columns?: readonly ColumnName[];
  /** A filter expression over columns: `age > 30 && city ~ "B*"`. It may name columns that are not asked for. */
  where?: string;
  /** Ends the reading. */
  signal?: AbortSignal;
  /** Hears how many rows were looked at. */
  onProgress?: (progress: Progress) => void;
}

/** How to look for matches. */
export type MatchOptions = Omit<WhereOptions, "where">;

/** How to gather the statistics of a table. */
export interface TableStatsOptions extends WhereOptions {
  /** The columns; usual: all. */
  columns?: readonly ColumnName[];
  /** Only so many rows from the first on are looked at; usual: all. */
  first?: number;
}

/** What the values of a table are like. The same fields as `forebay stats --json`. */
export interface TableStats {
  /** Rows that were counted. */
  readonly rows: number;
  /** One for each column. */
  readonly columns: readonly ColumnSummary[];
}

/** What the values of a column are like. */
export interface ColumnSummary {
  /** The column's name. */
  readonly name: string;
  /** Its type. */
  readonly type: string;
  /** Values that are there. */
  readonly count: number;
  /** Values that are missing. */
  readonly nulls: number;
  /** Floats that are NaN; they count, but not for what follows. */
  readonly nan?: number;
  /** The least value; of texts the first in byte order, cut after 64 characters. Integers beyond 2^53 are `bigint`. */
  readonly min: Json | bigint;
  /** The greatest value. */
  readonly max: Json | bigint;
  /** The mean of numbers. */
  readonly mean: number | null;
  /** How many different values; `null` where there are more than are counted. */
  readonly distinct: number | null;
  /** How many at least, where that is all that is known. */
  readonly distinct_at_least?: number;
  /** The most frequent values of columns with few, of texts, integers and truth values, each with how often. */
  readonly top?: readonly (readonly [Json | bigint, number])[];
  /** How the numbers are spread. */
  readonly histogram?: readonly NumberBucket[];
}

/** Numbers from one to another. The edges are round numbers. */
export interface NumberBucket {
  /** The least, included. */
  readonly from: number;
  /** The greatest, not included. */
  readonly to: number;
  /** How many. */
  readonly count: number;
}

/**
 * An opened table. Only the bytes of the row groups and columns that are asked for are read, where the format allows.
 * Rows of a whole group are verified; a few rows of a large group are read without their group's checksum.
 */
export interface Table extends Opened {
  /** Tells a table from samples. */
  readonly kind: "table";
  /** The format, by content. */
  readonly format: "tbf" | "idv";
  /** How many rows there are. */
  readonly length: number;
  /** The columns. */
  readonly schema: readonly TableField[];
  /** What the file says about itself. */
  readonly metadata: TableMetadata;

  /** Rows as objects, in order. */
  rows(options?: RowsOptions): AsyncIterableIterator<Row>;
  /** Rows in batches of columns, in order: typed arrays, and the rows' numbers. */
  batches(options?: RowsOptions): AsyncIterableIterator<TableBatch>;
  /** The rows from `start` to `end` as typed arrays. For what one looks at: more than 256 MiB are refused. */
  columns(start: number, end: number, columns?: readonly ColumnName[], options?: ReadOptions): Promise<TableBatch>;
  /** These rows, in this order. */
  take(rows: ArrayLike<number>, columns?: readonly ColumnName[], options?: ReadOptions): Promise<TableBatch>;
  /** The numbers of the rows that match, in order. Row groups whose statistics exclude a match are not read. */
  matches(where: string, options?: MatchOptions): Promise<Uint32Array>;
  /**
   * What the values of each column are like, from one look through all rows, or those that match: the same as
   * `forebay stats --json`.
   */
  stats(options?: TableStatsOptions): Promise<TableStats>;
  /** The value of a TBF that holds no table, as JSON text; `null` for a table. */
  document(options?: ReadOptions): Promise<string | null>;
}

/** A format of text. */
export type TextFormat = "csv" | "tsv" | "jsonl";

/** A format that {@link convert} writes tables in. */
export type TableFormat = "tbf" | "idv" | TextFormat;

/** How text is read. */
export interface TextReadOptions {
  /** The format of an input that is text. Usual: what the extension of its name says. */
  from?: TextFormat;
  /** Text: the types of some columns, such as `{ id: "u32", when: "date" }`. The others are found out. */
  types?: Readonly<Record<string, string>>;
  /** Text: all columns, `[{ name, type, nullable? }]`, in the file's order; nothing is found out then. */
  schema?: object;
  /** CSV, read or written: the first row holds the names. Usual: true. */
  header?: boolean;
  /** CSV, read or written: what stands between fields. Usual: a comma; read, what the first rows agree on. */
  delimiter?: string;
  /** CSV: the field, not in quotes, that means a missing value. Usual: the empty one. */
  null?: string;
  /** Text: rows that types are found out from. Usual: 10,000. */
  sniffRows?: number;
}

/** How to convert a table. */
export interface TableConvertOptions extends TextReadOptions {
  /** The format to write. */
  to: TableFormat;
  /** Only these columns, in this order. */
  columns?: readonly string[];
  /** Only rows that match. The filter may name columns that are not written. */
  where?: string;
  /**
   * Only these rows, by number, in the input's order. Bad rows of a text that are left out have no number, as in a table
   * that was made of it.
   */
  indexes?: ArrayLike<number> | Iterable<number>;
  /** Change what the target cannot hold, and say so in the notes, instead of refusing it. */
  lossy?: boolean;
  /** Rows of a row group (TBF) or block (IDV). */
  groupRows?: number;
  /** TBF: the layout. `D` is typed columns with statistics; `T` and `C` are made in memory. Usual: `D`. */
  layout?: "D" | "T" | "C";
  /**
   * IDV: how blocks are packed. `none` has the bytes of the command; `deflate` is packed by another encoder than the
   * command's, so that the rows are the same and the bytes are not. Usual: `deflate`.
   */
  compression?: "none" | "deflate";
  /** Text: a row that cannot be read ends the work, or is left out, counted and named with its line. Usual: `error`. */
  onBadRow?: "error" | "skip";
  /** Bounds on what an input may cost that is opened here. */
  limits?: Limits;
  /** As of {@link OpenOptions}, for an input that is opened here. */
  tbfSchema?: object;
  /** Ends the conversion; the sink's `abort` is called. */
  signal?: AbortSignal;
  /** Hears how far it is: `samples` are rows that were looked at. */
  onProgress?: (progress: Progress) => void;
}

/** What the conversion of a table did. */
export interface TableConvertSummary {
  /** Rows written. */
  readonly rows: number;
  /** Columns written. */
  readonly columns: number;
  /** Bytes of the input. */
  readonly inputBytes: number;
  /** Bytes of the output. */
  readonly outputBytes: number;
  /** Bad rows that were left out. */
  readonly skippedRows: number;
  /** What was changed to fit the target, which rows were left out, and other things worth knowing. */
  readonly notes: readonly string[];
}
