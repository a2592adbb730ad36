/** Records in batches, and samples in an order. */
import type { Json } from "./names.js";
import type { WhereOptions } from "./opened.js";

/** Which records are read, and what of them. */
export interface RecordsOptions extends WhereOptions {
  /** Only these samples, in this order. With {@link WhereOptions.where}, those of them that match. */
  indexes?: ArrayLike<number> | Iterable<number>;
  /**
   * Only these fields, by their paths as filters write them: each record is an object then that has the paths for names, with `null`
   * for what a record does not have; those that the index has (`width`, `format`, `bytes` and the like) are its own. Picked out in the worker, so that the rest of large records never crosses.
   */
  fields?: readonly string[];
  /** Records of a batch at most; default: 256. The first batch is of one record. */
  batch?: number;
}

/** Some records. */
export interface RecordBatch {
  /** The numbers of the samples. */
  readonly indexes: Uint32Array;
  /** Their records, in the same order; `null` for a sample without one. */
  readonly records: readonly Json[];
}

/** How to sort. */
export interface SortOptions extends WhereOptions {
  /** The largest first; what is missing comes last in any case. */
  descending?: boolean;
}

/** Samples from a first up to an end, which is not one of them. */
export interface SampleRange {
  /** The first. */
  readonly start: number;
  /** The end. */
  readonly end: number;
}
