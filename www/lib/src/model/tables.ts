/** Tables. */
import type { TextFormat } from "./names.js";
import type { Opened, Progress, ReadOptions, WhereOptions } from "./opened.js";
import type { TableStats } from "./reports.js";
import type { Row, TableBatch } from "./table-batch.js";

/** One column of a table. */
export interface TableField {
  /** Its name. Names may repeat: a name then means the last column that has it. */
  readonly name: string;
  /** Its type: `bool`, `u8`, `i64`, `f32`, `string`, `bytes`, `timestamp_us`, `key<u32, 10>`, `vector<f32, 3>`... */
  readonly type: string;
  /** Whether values may be missing. */
  readonly nullable: boolean;
  /** How it is stored, if the file says it. */
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
  /** True for a TBF that holds one value rather than a table: {@link Table.document} has it. */
  readonly document: boolean;
  /** The numbers of the columns that may hold pictures, the likeliest first: those of Parquet and Arrow. */
  readonly pictures: readonly number[];
  /** What is worth knowing and no fault. */
  readonly notes: readonly string[];
}

/** A column by its name or number. */
export type ColumnName = string | number;

/** Which rows and columns. */
export interface RowsOptions {
  /** The first row; default: 0. */
  start?: number;
  /** The row after the last; default: the end. */
  end?: number;
  /** The columns, in this order; default: all. */
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
  /** The columns; default: all. */
  columns?: readonly ColumnName[];
  /** Only this many rows from the first on are looked at; default: all. */
  first?: number;
}

/**
 * An opened table. Only the bytes of the row groups and columns that are asked for are read, if the format allows.
 * Rows of a whole group are verified; a few rows of a large group are read without their group's checksum.
 */
export interface Table extends Opened {
  /** Tells a table from samples. */
  readonly kind: "table";
  /** The format, by content. */
  readonly format: "tbf" | "idv" | "parquet" | "arrow" | "arrows";
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

/** How text is read. */
export interface TextReadOptions {
  /** The format of an input that is text. Default: what the extension of its name says. */
  from?: TextFormat;
  /** Text: the types of some columns, such as `{ id: "u32", when: "date" }`. The others are found out. */
  types?: Readonly<Record<string, string>>;
  /** Text: all columns, `[{ name, type, nullable? }]`, in the file's order; nothing is found out then. */
  schema?: object;
  /** CSV, read or written: the first row holds the names. Default: true. */
  header?: boolean;
  /** CSV, read or written: what stands between fields. Default: a comma; read, what the first rows agree on. */
  delimiter?: string;
  /** CSV: the field, not in quotes, that means a missing value. Default: the empty one. */
  null?: string;
  /** Text: rows that types are found out from. Default: 10,000. */
  sniffRows?: number;
}
