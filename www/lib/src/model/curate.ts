/** What does not belong into a dataset: pictures that are there twice, and those that stand out; and who goes where in a split. */
import type { Fault, OutlierReason, Trait, UsualTrait } from "./reports.js";
import type { ChosenOptions } from "./opened.js";

/** Which samples are compared, and how. */
export interface DuplicatesOptions extends ChosenOptions {
  /** Pictures are alike if their hashes differ in at most this many of 63 bits, 15 at most. Default: 6. */
  distance?: number;
  /** Only the same bytes are alike; no picture is decoded. Default: false. */
  exact?: boolean;
}

/** One of a group of samples that are alike. */
export interface AlikeSample {
  /** The sample's number. */
  readonly index: number;
  /** In how many bits its hash differs from that of the best. */
  readonly distance: number;
  /** Whether its bytes are those of the best. */
  readonly exact: boolean;
  /** Pixels across; 0 where that is not known. */
  readonly width: number;
  /** Pixels down. */
  readonly height: number;
  /** Bytes of its payload. */
  readonly bytes: number;
}

/** What `duplicates` found. */
export interface Duplicates {
  /** Samples that were looked at. */
  readonly samples: number;
  /** Those of them that are not pictures: they are compared by their bytes alone. */
  readonly notPictures: number;
  /** Pictures in which nothing is to be seen: the same. */
  readonly plain: number;
  /** Samples that another one is better than. */
  readonly duplicates: number;
  /** Samples that are alike, the best first: most pixels, then most bytes, then the lowest number. */
  readonly groups: readonly (readonly AlikeSample[])[];
  /** Samples that could not be read or decoded. */
  readonly faultCount: number;
  /** The first of them. */
  readonly faults: readonly Fault[];
}

/** Which samples are judged, and by what. */
export interface OutliersOptions extends ChosenOptions {
  /** Only these; without the last three no picture is decoded. Default: all. */
  by?: readonly Trait[];
  /** How many deviations from the median a sample must be to stand out. Default: 3.5. */
  score?: number;
}

/** What `outliers` found. */
export interface Outliers {
  /** Samples that were looked at. */
  readonly samples: number;
  /** Those of them that are not pictures. */
  readonly notPictures: number;
  /** What is usual, trait by trait. */
  readonly traits: readonly UsualTrait[];
  /** Who stands out, the furthest first; of each the strongest reason first. */
  readonly outliers: readonly {
    /** The sample. */
    readonly index: number;
    /** Why. */
    readonly reasons: readonly OutlierReason[];
  }[];
  /** Samples that could not be read or decoded. */
  readonly faultCount: number;
  /** The first of them. */
  readonly faults: readonly Fault[];
}

/** Into which parts a dataset is divided, and what stays together. */
export interface DivideOptions extends ChosenOptions {
  /** The parts by their names, 1 to 16, each with the fraction of the samples that it is to have; together they are 1. */
  parts: { readonly [name: string]: number };
  /** Divides every class in the same way: `class` for the field `class`, else `cls`, or the path of another field. */
  by?: string;
  /** Samples that have the same in this field stay together: the run, the patient, the video. */
  group?: string;
  /** Pictures whose hashes differ in at most this many of 63 bits stay together, and so do the same bytes; 15 at most. */
  near?: number;
  /** Another one divides otherwise. Default: 0. */
  seed?: number;
}

/** A part of a dataset. */
export interface DividedPart {
  /** What it is called. */
  readonly part: string;
  /** The numbers of its samples, in order. */
  readonly samples: Uint32Array;
  /** Its samples by class, in the order in which the classes first come; those without a class under the empty name. */
  readonly classes: readonly {
    /** The class. */
    readonly label: string;
    /** Samples of it. */
    readonly samples: number;
  }[];
}

/** A dataset in parts. */
export interface Divided {
  /** The parts, in the order in which they were asked for. */
  readonly parts: readonly DividedPart[];
  /** Sets of samples that had to stay together, single ones not counted. */
  readonly groups: number;
  /** Samples of whose class, group or look nothing is known since they do not read; they are divided all the same. */
  readonly faultCount: number;
  /** The first of them. */
  readonly faults: readonly Fault[];
}
