/** What checks, statistics and conversions end with. */
import type { Json, MediaFormat } from "./names.js";

/** One thing that is wrong, and where. The fields of `forebay check --json`, in camelCase. */
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
  /** The row's number, in a table; if a block is damaged as a whole, its first row. */
  readonly row?: number | null;
  /** The block or row group, in a table. */
  readonly block?: number | null;
  /** The byte offset in the file. */
  readonly offset: number | null;
}

/** What a check found. The fields of `forebay check --json`, in camelCase. */
export interface CheckReport {
  /** True when there is no fault. */
  readonly ok: boolean;
  /** Samples in the file, as far as it could be opened. */
  readonly samples: number;
  /** How many faults there are; the list stops at 100,000. */
  readonly faultCount: number;
  /** The faults. */
  readonly faults: readonly Fault[];
  /** Things worth knowing that are not faults. */
  readonly notes: readonly Fault[];
}

/** Extremes and mean of a number, and the first samples that have the extremes. */
export interface Spread {
  /** The least. */
  readonly min: number;
  /** The first sample that has it. */
  readonly minAt: number;
  /** The most. */
  readonly max: number;
  /** The first sample that has it. */
  readonly maxAt: number;
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

/** Counts, sizes, shapes and classes. The fields of `forebay stats --json`, in camelCase. */
export interface Stats {
  /** How many samples. */
  readonly samples: number;
  /** Bytes of all payloads, decompressed. */
  readonly bytes: number;
  /** Bytes of all payloads in the file. */
  readonly storedBytes: number;
  /** How many times the stored bytes the decompressed are. */
  readonly ratio: number | null;
  /** How many samples each format has. */
  readonly formats: readonly FormatCount[];
  /** Bytes of a sample. */
  readonly sampleBytes: Spread | null;
  /** Samples whose width and height nobody knows. */
  readonly unknownSize: number;
  /** Pixels across. */
  readonly width: Spread | null;
  /** Pixels down. */
  readonly height: Spread | null;
  /** Samples by bytes. */
  readonly bytesHistogram: readonly Bucket[];
  /** Samples by pixels across. */
  readonly widthHistogram: readonly Bucket[];
  /** Samples by pixels down. */
  readonly heightHistogram: readonly Bucket[];
  /** Samples by width over height. */
  readonly aspectHistogram: readonly Bucket[];
  /** Samples by class. */
  readonly classes: ClassStats;
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

/** What the values of a table are like. The fields of `forebay stats --json`, in camelCase. */
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
  /** How many at least, if that is all that is known. */
  readonly distinctAtLeast?: number;
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
