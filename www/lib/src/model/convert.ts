/** Conversions, and the functions of the package that others take as values. */
import type { HttpOptions, Input, Output } from "./io.js";
import type { SamplesConversion, TableConversion } from "./module-options.js";
import type { Limits, OpenOptions, Progress } from "./opened.js";
import type { SamplesConverted, TableConverted } from "./reports.js";
import type { Dataset } from "./samples.js";
import type { Table, TextReadOptions } from "./tables.js";

/** How an input is opened that is not open yet; of one that is, they are refused. */
export interface ConvertedInput {
  /** The name, if the input has none: that of a text says by its extension what it is. */
  name?: string;
  /** Bounds on what the input may cost. */
  limits?: Limits;
  /** For a URL: how to fetch. */
  http?: HttpOptions;
}

/** How to convert. */
export interface ConvertOptions extends ConvertedInput, SamplesConversion {
  /** Only samples that match. */
  where?: string;
  /** Only these samples, in this order. With `where`, those of them that match. */
  indexes?: ArrayLike<number> | Iterable<number>;
  /** Write an output without samples where `where` matches none, instead of refusing it (`convert.empty`). */
  allowEmpty?: boolean;
  /** As of {@link OpenOptions}, for an input that is opened here. */
  column?: string;
  /** Ends the conversion; the sink's `abort` is called. */
  signal?: AbortSignal;
  /** Hears how far it is. */
  onProgress?: (progress: Progress) => void;
}

/** Opens samples: the function `openSamples` of the package. */
export type Open = (input: Input, options?: OpenOptions) => Promise<Dataset>;

/** What a conversion did. */
export interface ConvertSummary extends SamplesConverted {
  /** Bytes of the input. */
  readonly inputBytes: number;
}

/** What the conversion of a table did. */
export interface TableConvertSummary extends TableConverted {
  /** Bytes of the input. */
  readonly inputBytes: number;
}

/** Converts a dataset, or an input that is opened for it: the function `convert` of the package. */
export interface Convert {
  /** Samples. */
  (source: Input | Dataset, output: Output, options: ConvertOptions): Promise<ConvertSummary>;
  /** A table. */
  (source: Input | Table, output: Output, options: TableConvertOptions): Promise<TableConvertSummary>;
}

/** How to convert a table. */
export interface TableConvertOptions extends TextReadOptions, ConvertedInput, TableConversion {
  /**
   * Only these rows, by number, in the input's order. Bad rows of a text that are left out have no number, as in a table
   * that was made of it.
   */
  indexes?: ArrayLike<number> | Iterable<number>;
  /** TBF: the layout. `D` is typed columns with statistics; `T` and `C` are made in memory. Default: `D`. */
  layout?: "D" | "T" | "C";
  /**
   * Text: a row that cannot be read ends the work, or is left out, counted and named with its line. Default: `error`.
   */
  onBadRow?: "error" | "skip";
  /** As of {@link OpenOptions}, for an input that is opened here. */
  tbfSchema?: object;
  /** Ends the conversion; the sink's `abort` is called. */
  signal?: AbortSignal;
  /** Hears how far it is: `samples` are rows that were looked at. */
  onProgress?: (progress: Progress) => void;
}
