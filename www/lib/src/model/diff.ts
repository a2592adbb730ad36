/** Two versions of a dataset beside each other. */
import type { Progress } from "./opened.js";

/** What is compared, and how. */
export interface DiffOptions {
  /**
   * Payloads: byte by byte; by their checksums alone if both files have them (TBLs in guide layout, uncompressed), which reads four
   * bytes of a sample; or not at all. Default: "bytes", as the command does.
   */
  payloads?: "bytes" | "checksums" | "none";
  /** Compare metadata too. Default: true. */
  metadata?: boolean;
  /** Ends it. */
  signal?: AbortSignal;
  /** Hears how many pairs are compared. */
  onProgress?: (progress: Progress) => void;
}

/** A sample that both have and that differs. */
export interface ChangedSample {
  /** Its number in the one. */
  readonly a: number;
  /** Its number in the other. */
  readonly b: number;
  /** Its name, if it has one. */
  readonly name: string | null;
  /** What differs. */
  readonly what: readonly ("payload" | "metadata")[];
  /** The fields of the metadata that differ; of what came from a `.json` file those in there, as `json.label`. */
  readonly fields: readonly string[];
}

/** A sample that only one of them has. */
export interface OnlySample {
  /** Its number. */
  readonly i: number;
  /** Its name, if it has one. */
  readonly name: string | null;
}

/** One dataset beside another. */
export interface Difference {
  /** They hold the same samples. */
  readonly same: boolean;
  /** What tells which samples belong together: their names, or their numbers where names are missing or stand twice. */
  readonly by: "name" | "number";
  /** Samples that both have alike. */
  readonly equal: number;
  /** Samples that both have and that differ, in the order of the one. */
  readonly changed: readonly ChangedSample[];
  /** Samples that only the one has. */
  readonly onlyInA: readonly OnlySample[];
  /** Samples that only the other has. */
  readonly onlyInB: readonly OnlySample[];
}
