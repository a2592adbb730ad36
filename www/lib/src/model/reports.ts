/** Reports of the modules. Made from the Rust types by `npm run types`: change those. */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A range and its samples: a filter `x >= from && x < to` selects just these. */
export interface Bucket {
  /** The least value that belongs to it. */
  readonly from: number;
  /** The first value that does not; none where it has no end. */
  readonly to: number | null;
  /** How many samples. */
  readonly samples: number;
}

/** The result of a check. */
export interface CheckReport {
  /** True when there is no fault. */
  readonly ok: boolean;
  /** Samples or rows in the file, as far as it could be opened. */
  readonly samples: number;
  /** Pictures that were decoded from the first line to the last, if that was asked for. */
  readonly decoded?: number;
  /** How many faults there are. */
  readonly faultCount: number;
  /** The faults, at most the first 100,000. */
  readonly faults: readonly Fault[];
  /** Things worth knowing that are not faults. */
  readonly notes: readonly Fault[];
}

/** How many samples have a label. */
export interface ClassCount {
  /** The label. */
  readonly label: string;
  /** The samples. */
  readonly samples: number;
}

/** Samples by label. */
export interface ClassStats {
  /** How many labels are counted apart; at most `LABELS_KEPT`. */
  readonly distinct: number;
  /** The labels, the most frequent first. */
  readonly top: readonly ClassCount[];
  /** Samples whose labels came after the table was full, or are too long to be a class. */
  readonly other: number;
  /** Samples without a label. */
  readonly unlabelled: number;
}

/** How a payload's bytes are stored. */
export type Codec = "none" | "lz4" | "zstd" | "deflate" | "packed";

/** One column's summary. */
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
  /** The least value; of texts the first in byte order, cut after 64 characters. */
  readonly min: Json | bigint;
  /** The greatest value. */
  readonly max: Json | bigint;
  /** The mean of numbers. */
  readonly mean: number | null;
  /** How many different values; `None` if there are more than are counted. */
  readonly distinct: number | null;
  /** How many at least, if that is all that is known. */
  readonly distinctAtLeast?: number;
  /** The most frequent values of columns with few, of texts, integers and truth values. */
  readonly top?: readonly (readonly [Json | bigint, number])[];
  /** How the numbers are spread. */
  readonly histogram?: readonly NumberBucket[];
}

/** The kind of a row. */
export type DriftKind = "shares" | "histogram" | "number";

/** A name or bucket. */
export interface DriftPart {
  /** The name; of a bucket where it begins. */
  readonly name: string;
  /** How many in the old one. */
  readonly old: number;
  /** How many in the new one. */
  readonly new: number;
}

/** A thing that is counted in both, and how far they are apart in it. */
export interface DriftRow {
  /** Its name. */
  readonly name: string;
  /** What is compared. */
  readonly kind: DriftKind;
  /** How far apart they are; none where neither has any. */
  readonly distance: number | null;
  /**
   * The distance to expect by chance alone, if each value were drawn by itself from the same source; none for numbers.
   */
  readonly chance: number | null;
  /** The old number, or the mean of a histogram. */
  readonly old: number | null;
  /** The new one. */
  readonly new: number | null;
  /** How many values were counted in the old one and in the new one. */
  readonly values: readonly [number, number];
  /** The names or buckets with their counts. */
  readonly parts: readonly DriftPart[];
}

/** Counts between edges. */
export interface EdgeCounts {
  /** Where buckets begin; the last has no end. */
  readonly from: readonly number[];
  /** What is in each. */
  readonly counts: readonly number[];
  /** The sum of all values. */
  readonly sum: number;
}

/** The result of saving changes. */
export interface EditsWritten {
  /** Samples in the new file. */
  readonly samples: number;
  /** Samples of the old one with other metadata. */
  readonly changed: number;
  /** Samples of the old one that are left out. */
  readonly removed: number;
  /** New samples. */
  readonly added: number;
  /** Bytes of the new file. */
  readonly outputBytes: number;
}

/** The result of exporting labels. */
export interface ExportedLabels {
  /** How many files were written. */
  readonly files: number;
  /** How many bytes. */
  readonly bytes: number;
  /** How many images were looked at. */
  readonly pictures: number;
  /** How many annotations they have. */
  readonly annotations: number;
  /** Images of which nothing says what is in them, or that nothing is. */
  readonly unlabelled: number;
  /** What the format cannot express, counted by cause. */
  readonly losses: readonly LabelCount[];
  /** What was found on the way. */
  readonly notes: LabelNotes;
}

/** One thing that is wrong, and where. */
export interface Fault {
  /** The stable code. */
  readonly code: string;
  /** Whose fault it is: `damaged`, or `limit` where the file asks for more than the limits of this check allow. */
  readonly kind: string;
  /** The file, if it is one of several. */
  readonly file?: string;
  /** The part of the file. */
  readonly section: string | null;
  /** The archive's member. */
  readonly member?: string;
  /** The sample's number. */
  readonly sample: number | null;
  /** The column's name. */
  readonly column?: string;
  /** The row's number; if a block is damaged as a whole, its first row. */
  readonly row?: number;
  /** The block or row group. */
  readonly block?: number;
  /** The line, in a text. */
  readonly line?: number;
  /** The character in that line. */
  readonly character?: number;
  /** The way to the value, in a document. */
  readonly path?: string;
  /** The byte offset in the file. */
  readonly offset: number | null;
  /** In words. */
  readonly message: string;
}

/** How many samples have a format. */
export interface FormatCount {
  /** The format. */
  readonly format: MediaFormat;
  /** The samples. */
  readonly samples: number;
}

/** A class of labels, and how many annotations it has. */
export interface LabelClassCount {
  /** The class. */
  readonly name: string;
  /** How many annotations it has. */
  readonly annotations: number;
}

/** Something that was found or lost, and how often. */
export interface LabelCount {
  /** Its name, as reports say it. */
  readonly cause: string;
  /** What it is, in words. */
  readonly meaning: string;
  /** How often. */
  readonly count: number;
}

/** What was found while reading that is not a fault. */
export interface LabelNotes {
  /** Counted by cause. */
  readonly counts: readonly LabelCount[];
  /** Said in words; the first few. */
  readonly texts: readonly string[];
  /** How many more there are. */
  readonly more: number;
}

/** What there is to count in labels. */
export interface LabelStats {
  /** The format that they had. */
  readonly format:
    | "coco"
    | "yolo"
    | "voc"
    | "cvat"
    | "labelstudio"
    | "recorder"
    | "labelme"
    | "via"
    | "createml"
    | "kitti"
    | "dota"
    | "openimages"
    | "datumaro"
    | "records";
  /** Images. */
  readonly pictures: number;
  /** Those without an annotation. */
  readonly empty: number;
  /** Annotations. */
  readonly annotations: number;
  /** The most in one image. */
  readonly most: number;
  /** Classes, and how many annotations each has. */
  readonly classes: readonly LabelClassCount[];
  /** Annotations up to 32 pixels squared, up to 96 pixels squared, and larger. */
  readonly areas: readonly [number, number, number];
  /** What was found on the way. */
  readonly notes: LabelNotes;
}

/** The format of a payload. The numbers are those of TBL v2. */
export type MediaFormat = "unknown" | "jpeg" | "png" | "webp" | "bmp" | "tiff" | "mp4" | "avi" | "raw_u8";

/** How many there are of what has a name. */
export interface NamedCount {
  /** The name. */
  readonly name: string;
  /** How many. */
  readonly count: number;
}

/** Numbers from (and with) one to (and without) the other. */
export interface NumberBucket {
  /** Its lower edge, which is in it. */
  readonly from: number;
  /** Its upper edge. */
  readonly to: number;
  /** How many numbers are in it. */
  readonly count: number;
}

/** Why a sample stands out. */
export interface OutlierReason {
  /** In a word: `dark`, `blurred`, `wide`. */
  readonly reason:
    | "few_bytes"
    | "many_bytes"
    | "small"
    | "large"
    | "narrow"
    | "wide"
    | "dark"
    | "bright"
    | "flat"
    | "stark"
    | "blurred"
    | "noisy";
  /** What was measured. */
  readonly trait: Trait;
  /** The measure. */
  readonly value: number;
  /** The median of all. */
  readonly median: number;
  /** How far it is from that, in standard deviations as the others suggest them. */
  readonly score: number;
}

/** The pixels of some samples. */
export interface PixelLevels {
  /** Samples 0, `every`, 2 `every` and so on are looked at. */
  readonly every: number;
  /** How many that are. */
  readonly samples: number;
  /** Values that are not from 0 to 1, and left out. */
  readonly odd: number;
  /** How many pixels have each of the 256 levels: of red, green and blue. */
  readonly levels: readonly [readonly number[], readonly number[], readonly number[]];
}

/** How many samples a run has. */
export interface RunCount {
  /** The run; `null` for samples of which no run is known. */
  readonly run: string | null;
  /** Samples of it that are stored. */
  readonly samples: number;
}

/** The result of converting samples. */
export interface SamplesConverted {
  /** Samples written. */
  readonly samples: number;
  /** Bytes of the output. */
  readonly outputBytes: number;
  /** Bytes of the payloads before compression. */
  readonly payloadBytes: number;
  /** Bytes of the payloads as stored. */
  readonly storedBytes: number;
  /** Samples that compression made smaller. */
  readonly compressedSamples: number;
  /** Folders, links and devices of an archive, which were left out. */
  readonly skippedMembers: number;
  /** The samples left out with `keepGoing`, and why. */
  readonly faults: readonly Fault[];
  /** Things worth knowing. */
  readonly notes: readonly string[];
}

/** The least, the most and the mean of a number, and where the extremes are. */
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

/** The result of `Stats`. */
export interface Stats {
  /** How many samples. */
  readonly samples: number;
  /** Bytes of all payloads once decompressed. */
  readonly bytes: number;
  /** Bytes of all payloads as stored. */
  readonly storedBytes: number;
  /** Stored bytes for each byte; none where there are no bytes. */
  readonly ratio: number | null;
  /** Samples by format, the most frequent first. */
  readonly formats: readonly FormatCount[];
  /** The sizes of payloads. */
  readonly sampleBytes: Spread | null;
  /** Samples whose width and height the index does not know; the fields below are without them. */
  readonly unknownSize: number;
  /** Pixels across. */
  readonly width: Spread | null;
  /** Pixels down. */
  readonly height: Spread | null;
  /** Payload sizes by powers of two. */
  readonly bytesHistogram: readonly Bucket[];
  /** Widths. */
  readonly widthHistogram: readonly Bucket[];
  /** Heights. */
  readonly heightHistogram: readonly Bucket[];
  /** Width divided by height. */
  readonly aspectHistogram: readonly Bucket[];
  /** Samples by label. */
  readonly classes: ClassStats;
}

/** The result of converting a table. */
export interface TableConverted {
  /** Rows written. */
  readonly rows: number;
  /** Columns written. */
  readonly columns: number;
  /** Bytes of the output. */
  readonly outputBytes: number;
  /** Bad rows that were left out. */
  readonly skippedRows: number;
  /** What was changed to fit the target, which rows were left out, and other things worth knowing. */
  readonly notes: readonly string[];
}

/** What the values of a table are like, in camelCase. */
export interface TableStats {
  /** Rows that were counted. */
  readonly rows: number;
  /** One for each column. */
  readonly columns: readonly ColumnSummary[];
}

/** What is measured of a sample. */
export type Trait = "bytes" | "pixels" | "aspect" | "brightness" | "contrast" | "sharpness";

/** What is usual. */
export interface UsualTrait {
  /** What was measured. */
  readonly trait: Trait;
  /** Of how many samples. */
  readonly samples: number;
  /** The median; of two in the middle the lower. */
  readonly median: number;
  /** How many stand out. */
  readonly outliers: number;
}

/** A warehouse beside another, the rows that differ most first. */
export interface WarehouseDrift {
  /** The versions of both. */
  readonly versions: readonly [string, string];
  /** The samples of both. */
  readonly samples: readonly [number, number];
  /** The boxes of both. */
  readonly boxes: readonly [number, number];
  /** What is compared. */
  readonly rows: readonly DriftRow[];
  /** What is worth knowing. */
  readonly notes: readonly string[];
}

/** What a warehouse knows of a sample beside its tensors; what it does not know is `null`. */
export interface WarehouseSample {
  /** Its name: run and frame, or the image's path, or shard and number. */
  readonly name: string;
  /** The shard that it lies in. */
  readonly shard: string;
  /** The frame's number. */
  readonly frameId: number | null;
  /** The run that it belongs to. */
  readonly run: string | null;
  /** The image's path, relative to the builder's input. */
  readonly source: string | null;
}

/** Counts of a warehouse. */
export interface WarehouseStatistics {
  /** Its version. */
  readonly version: string;
  /** How many samples it has. */
  readonly samples: number;
  /** How many boxes. */
  readonly boxes: number;
  /** Boxes that are none: a corner is not from 0 to 1, or they end before they begin. They are in no histogram. */
  readonly oddBoxes: number;
  /** Boxes without width or height: they have no aspect. */
  readonly flatBoxes: number;
  /** The frames of the input by what became of them. */
  readonly frames: readonly NamedCount[];
  /** Frames that were refused, by cause, and those that were not; none where the manifest does not say. */
  readonly refused: readonly NamedCount[] | null;
  /** Frames of each run, as the manifest counts them. */
  readonly runs: readonly NamedCount[];
  /** Boxes of each class; none where no sample says what its boxes are. */
  readonly classes: readonly NamedCount[] | null;
  /** Boxes of a sample. */
  readonly boxesPerPicture: EdgeCounts;
  /** Widths of boxes, of the picture's. */
  readonly boxWidth: EdgeCounts;
  /** Heights of boxes, of the picture's. */
  readonly boxHeight: EdgeCounts;
  /** Areas of boxes, of the picture's. */
  readonly boxArea: EdgeCounts;
  /** Width by height of boxes, in pixels of the stored picture. */
  readonly boxAspect: EdgeCounts;
  /** Where the middles of boxes are, from the left. */
  readonly boxX: EdgeCounts;
  /** Where the middles of boxes are, from the top. */
  readonly boxY: EdgeCounts;
  /** The pixels of some samples; none where they were not asked for. */
  readonly pixels: PixelLevels | null;
}
