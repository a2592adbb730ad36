/** What the viewer needs of the package: so that tests can put something else in its place. */
import type {
  CheckOptions,
  CheckReport,
  Convert,
  ConvertSummary,
  Dataset,
  Difference,
  DiffOptions,
  Edits,
  ExportLabelsOptions,
  ExportedLabels,
  Folder,
  FolderFile,
  FolderSink,
  Input,
  LabelInput,
  Labels,
  OpenOptions,
  Output,
  Project,
  ReadLabels,
  ReadLabelsOptions,
  SamplesOptions,
  Table,
  TextReadOptions,
  WriteLabelsOptions,
  WriteThumbsOptions,
  WrittenLabelFormat,
  WrittenLabels,
} from "../../../lib/src/model/index.ts";

/** What the package does with labels. */
export interface LabelEngine {
  readonly read: (input: LabelInput, options?: ReadLabelsOptions) => Promise<ReadLabels>;
  readonly match: (samples: readonly string[], images: readonly string[]) => Promise<Int32Array>;
  readonly project: (input: Blob) => Promise<Project>;
  readonly of: (
    dataset: Dataset,
    options?: Pick<SamplesOptions, "indexes" | "signal" | "onProgress">,
  ) => Promise<Labels>;
  readonly write: (
    labels: Labels,
    format: WrittenLabelFormat,
    output: Output | FileSystemDirectoryHandle | FolderSink,
    options?: WriteLabelsOptions,
  ) => Promise<WrittenLabels>;
  /** The labels of samples as their metadata says them, in one go: nothing of a sample comes into the page. */
  readonly export: (
    of: Dataset | Edits,
    format: WrittenLabelFormat,
    output: Output | FileSystemDirectoryHandle | FolderSink,
    options?: ExportLabelsOptions,
  ) => Promise<ExportedLabels>;
}

/** The package's functions. */
export interface Engine {
  readonly open: (input: Input | Folder, options?: OpenOptions) => Promise<Dataset | Table>;
  readonly check: (input: Input, options?: CheckOptions & OpenOptions & TextReadOptions) => Promise<CheckReport>;
  readonly convert: Convert;
  /** The files of a folder that is dropped, with their places. */
  readonly droppedFiles: (data: DataTransfer) => Promise<FolderFile[]>;
  readonly labels: LabelEngine;
  readonly writeThumbs: (dataset: Dataset, output: Output, options?: WriteThumbsOptions) => Promise<ConvertSummary>;
  readonly diff: (a: Dataset, b: Dataset, options?: DiffOptions) => Promise<Difference>;
}
